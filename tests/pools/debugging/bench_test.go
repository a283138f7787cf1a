package debugging

import (
	"testing"

	"github.com/poolgen/poolgen/tests/pools/debugging/pools"
)

// BenchmarkPair measures an allocation and its free, with and without the tag.
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

// BenchmarkBatchPair measures the same for a block of a batch of 1000.
func BenchmarkBatchPair(b *testing.B) {
	p := new(pools.ItemPool)
	batch := make([]*[size]byte, 1000)
	for n := 0; n < b.N; n += len(batch) {
		if _, err := p.AllocBatch(batch); err != nil {
			b.Fatal(err)
		}
		if err := p.FreeBatch(batch); err != nil {
			b.Fatal(err)
		}
	}
}
