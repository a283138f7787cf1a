package cheader

import (
	"context"
	"os"
	"testing"
)

// BenchmarkHeaders measures the extra cost of a pool file with headers: the call of the go command, on a package with an import.
func BenchmarkHeaders(b *testing.B) {
	here, err := os.Getwd()
	if err != nil {
		b.Fatal(err)
	}
	s := Source{Environ: os.Environ(), Dir: here, Output: here}
	p := plan(b, "  - {name: Foo, item: odd.Nested, c_header: true}\n")
	for b.Loop() {
		if _, found := s.Headers(context.Background(), p, ""); len(found) > 0 {
			b.Fatal(found.Text(false))
		}
	}
}
