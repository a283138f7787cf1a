package debugging

import (
	"testing"

	"github.com/poolgen/poolgen/tests/debugging/pools"
)

// BenchmarkPair is an allocation and its free, with and without the tag.
func BenchmarkPair(b *testing.B) {
	p := new(pools.ItemPool)
	for range b.N {
		r, err := p.Alloc()
		if err != nil {
			b.Fatal(err)
		}
		if err := p.Free(r); err != nil {
			b.Fatal(err)
		}
	}
}
