package strips

import (
	"sync/atomic"
	"testing"
)

// BenchmarkAlloc has all processors take blocks of several sizes from 8 chunks of 8 MiB, and reset when they are used up.
func BenchmarkAlloc(b *testing.B) {
	for _, bb := range []struct {
		name  string
		sizes [8]uint64
	}{
		{"small", [8]uint64{64, 64, 64, 64, 64, 64, 64, 64}},
		{"mixed", [8]uint64{64, 256, 16, 1000, 8, 48, 4096, 24}},
		{"large", [8]uint64{8192, 16384, 65536, 8192, 32768, 100000, 8192, 8192}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			c := newCore()
			for i := range uint32(8) {
				c.Add(i, uint64(i+1)<<30, 8<<20)
			}
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for i := 0; pb.Next(); i++ {
					n := bb.sizes[i&7]
					if _, _, ok := c.AllocFast(n); ok {
						continue
					}
					if _, _, ok := c.Alloc(n, 1); !ok {
						c.Reset()
					}
				}
			})
		})
	}
}

// BenchmarkAdd is what a block costs at least: one atomic instruction on a word that all processors write.
func BenchmarkAdd(b *testing.B) {
	var n atomic.Uint64
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			n.Add(64)
		}
	})
}

// BenchmarkAddApart is the same with a word for each goroutine.
func BenchmarkAddApart(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		n := new(struct {
			atomic.Uint64
			_ [120]byte
		})
		for pb.Next() {
			n.Add(64)
		}
	})
}
