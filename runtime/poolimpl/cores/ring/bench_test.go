package ring

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
)

func BenchmarkAtomicAdd(b *testing.B) {
	var n atomic.Uint64
	for range b.N {
		n.Add(1)
	}
}

func BenchmarkPair(b *testing.B) {
	c := newCore()
	c.Add(0, 0, arenaSize)
	for range b.N {
		_, off, _ := c.Alloc(64, 1)
		c.Free(off, 64)
	}
}

// BenchmarkFIFO keeps as many blocks live as its name says, of a few sizes, in arenas of 1 MiB or so.
func BenchmarkFIFO(b *testing.B) {
	for _, n := range []int{64, 4096} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := newCore()
			c.Add(0, 0, 64*arenaSize)
			size := func(i int) uint64 { return 256 + uint64(i&1023) }
			live := make([]uint64, n)
			for i := range live {
				_, live[i], _ = c.Alloc(size(i), 1)
			}
			b.ResetTimer()
			for i := range b.N {
				k := i & (n - 1)
				c.Free(live[k], size(k))
				_, live[k], _ = c.Alloc(size(k), 1)
			}
		})
	}
}

// BenchmarkRand frees each window of blocks in random order. The orders are too many for a branch predictor to learn.
func BenchmarkRand(b *testing.B) {
	for _, n := range []int{16, 256, 4096} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := newCore()
			c.Add(0, 0, 64*arenaSize)
			r := rand.New(rand.NewPCG(1, 2))
			orders := make([][]int, 1+1<<16/n)
			for i := range orders {
				orders[i] = r.Perm(n)
			}
			live := make([]uint64, n)
			b.ResetTimer()
			for i := 0; i < b.N; i += n {
				for j := range live {
					_, live[j], _ = c.Alloc(64, 1)
				}
				for _, j := range orders[i/n%len(orders)] {
					c.Free(live[j], 64)
				}
			}
		})
	}
}
