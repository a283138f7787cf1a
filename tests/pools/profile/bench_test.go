//go:build !pooltrace

package profile

import (
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
)

// BenchmarkSampled allocates and frees a block that is sampled each time.
func BenchmarkSampled(b *testing.B) {
	p := new(WideMutexPool)
	for b.Loop() {
		block, err := p.Alloc()
		if err == nil {
			err = p.Free(block)
		}
		fatal.If(b, err)
	}
	fatal.If(b, p.Close())
}
