package sharded

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/pools/sharded/pools"
)

// BenchmarkFixed measures a pool of blocks of one size with one goroutine for each processor of -cpu. The first three are references in the same
// run: two bare mutexes locked and unlocked, shared and not, and atomic additions that are not shared.
func BenchmarkFixed(b *testing.B) {
	b.Run("shared", func(b *testing.B) {
		var m, n sync.Mutex
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				twoLocks(&m, &n)
			}
		})
	})
	b.Run("mutexes", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			own := new(struct {
				_ [128]byte
				m sync.Mutex
				n sync.Mutex
				_ [128]byte
			})
			for pb.Next() {
				twoLocks(&own.m, &own.n)
			}
		})
	})
	b.Run("adds", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			own := new(struct {
				_ [128]byte
				n atomic.Uint64
				_ [128]byte
			})
			for pb.Next() {
				own.n.Add(1)
			}
		})
	})
	for _, live := range []int{0, 10, 1_000, 1_000_000} {
		b.Run(fmt.Sprintf("pair/%d", live), func(b *testing.B) { fixedBench(b, live, pairs) })
	}
	b.Run("full", func(b *testing.B) { fixedBench(b, 1<<20*99/100, random) })
	b.Run("random", func(b *testing.B) { fixedBench(b, 1<<19, random) })
	b.Run("batch", func(b *testing.B) { fixedBench(b, 0, batches) })
	b.Run("exchange", func(b *testing.B) { fixedBench(b, 0, exchange()) })
}

func twoLocks(m, n *sync.Mutex) {
	m.Lock()
	//lint:ignore SA2001 nothing is guarded
	m.Unlock()
	n.Lock()
	//lint:ignore SA2001 nothing is guarded
	n.Unlock()
}

type block = *[64]byte

// fixedBench runs f in each goroutine on a pool with the given number of live blocks, a part of which f gets.
func fixedBench(b *testing.B, live int, f func(b *testing.B, p *pools.LotPool, own []block, next func() bool)) {
	p := new(pools.LotPool)
	refs := make([]block, 1<<20)
	if _, err := p.AllocBatch(refs); err != nil {
		b.Fatal(err)
	}
	rand.New(rand.NewPCG(3, 3)).Shuffle(len(refs), func(i, k int) { refs[i], refs[k] = refs[k], refs[i] })
	fatal.If(b, p.FreeBatch(refs[live:]))
	refs = refs[:live]
	var id atomic.Int64
	share := min(len(refs), 1<<14)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		var own []block
		if n := int(id.Add(1)); n*share <= len(refs) {
			own = refs[(n-1)*share : n*share]
		}
		f(b, p, own, pb.Next)
	})
	b.StopTimer()
	fatal.If(b, p.CloseForce())
}

// pairs frees each block at once.
func pairs(b *testing.B, p *pools.LotPool, _ []block, next func() bool) {
	for next() {
		r, err := p.Alloc()
		if err != nil || p.Free(r) != nil {
			b.Error(err)
			return
		}
	}
}

// random frees one of its blocks and allocates another.
func random(b *testing.B, p *pools.LotPool, own []block, next func() bool) {
	x := uint32(7)
	for next() {
		x = x*1664525 + 1013904223
		k := int(x>>8) % len(own)
		if err := p.Free(own[k]); err != nil {
			b.Error(err)
			return
		}
		var err error
		if own[k], err = p.Alloc(); err != nil {
			b.Error(err)
			return
		}
	}
}

// batches allocates 64 blocks in one call and frees them in another.
func batches(b *testing.B, p *pools.LotPool, _ []block, next func() bool) {
	batch := make([]block, 64)
	for n := 0; next(); n++ {
		if n%64 == 0 {
			if _, err := p.AllocBatch(batch); err != nil {
				b.Error(err)
				return
			}
			if err := p.FreeBatch(batch); err != nil {
				b.Error(err)
				return
			}
		}
	}
}

// exchange puts blocks into a table that all goroutines share, and frees the blocks that they replace.
func exchange() func(*testing.B, *pools.LotPool, []block, func() bool) {
	table := make([]atomic.Pointer[[64]byte], 1024)
	return func(b *testing.B, p *pools.LotPool, _ []block, next func() bool) {
		x := rand.Uint32()
		for next() {
			x = x*1664525 + 1013904223
			r, err := p.Alloc()
			if err != nil {
				b.Error(err)
				return
			}
			if r = table[x>>22].Swap(r); r != nil {
				if err := p.Free(r); err != nil {
					b.Error(err)
				}
			}
		}
	}
}
