package spec

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkValidate measures a file of a hundred pools from text to plan: a small part of what a generate may take.
func BenchmarkValidate(b *testing.B) {
	var src strings.Builder
	src.WriteString("version: 1\nimports: {mesh: example.com/app/mesh}\ndefaults: {concurrency: sharded, zero: first}\npools:\n")
	for i := range 100 {
		fmt.Fprintf(&src, "  - name: Vertex%d\n    doc: Vertices.\n    item: mesh.Vertex\n    allocator: pinned\n    chunk_size: 2MiB\n    limit: 1GiB\n", i)
	}
	b.ReportAllocs()
	for b.Loop() {
		if plan, found := check(b, src.String(), ""); plan == nil {
			b.Fatal(found.Text(false))
		}
	}
}

// BenchmarkFormat measures a thousand pools on one line, whose keys change places.
func BenchmarkFormat(b *testing.B) {
	src := []byte("version: 1\npools: [" + strings.Repeat("{limit: 1MiB, name: Vertex}, ", 1000) + "]\n")
	b.ReportAllocs()
	for b.Loop() {
		if _, found := Format("poolgen.yaml", src); len(found) > 0 {
			b.Fatal(found.Text(false))
		}
	}
}
