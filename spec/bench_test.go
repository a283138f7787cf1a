package spec

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkValidate measures a file of a hundred pools from text to plan, which is a small part of generate.
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

// BenchmarkFormat measures a thousand pools on one line whose keys are reordered.
func BenchmarkFormat(b *testing.B) {
	src := []byte("version: 1\npools: [" + strings.Repeat("{limit: 1MiB, name: Vertex}, ", 1000) + "]\n")
	b.ReportAllocs()
	for b.Loop() {
		if _, found := Format("poolgen.yaml", src); len(found) > 0 {
			b.Fatal(found.Text(false))
		}
	}
}
