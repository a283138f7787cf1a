//go:build !cudasim

package gpu

import (
	"testing"

	bench "github.com/poolgen/poolgen/tests/pools/bench/pools"
	"github.com/poolgen/poolgen/tests/pools/streams/pools"
)

// BenchmarkPair compares alloc and free in pools of device memory with those in host memory, and those on a stream with those without. The cost
// is that of one pair.
func BenchmarkPair(b *testing.B) {
	l := newLab(b, 0)
	s := l.streams(1)[0]
	host, cell := new(bench.LockedPool), new(pools.CellPool)
	hostHeap, heap := new(bench.SmallLockedPool), new(pools.HeapPool)
	_, err := host.Alloc()
	l.ok("host", err)
	_, err = cell.Alloc()
	l.ok("cell", err)
	_, err = hostHeap.Alloc(100)
	l.ok("host heap", err)
	_, err = heap.Alloc(100)
	l.ok("heap", err)
	b.Run("fixed/host", func(b *testing.B) {
		for b.Loop() {
			x, err := host.Alloc()
			if err != nil || host.Free(x) != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("fixed/device", func(b *testing.B) {
		for b.Loop() {
			x, err := cell.Alloc()
			if err != nil || cell.Free(x) != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("fixed/stream", func(b *testing.B) {
		for b.Loop() {
			x, err := cell.AllocOn(s)
			if err != nil || cell.FreeOn(x, s) != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("heap/host", func(b *testing.B) {
		for b.Loop() {
			x, err := hostHeap.Alloc(4096)
			if err != nil || hostHeap.Free(x) != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("heap/device", func(b *testing.B) {
		for b.Loop() {
			x, err := heap.Alloc(4096)
			if err != nil || heap.Free(x) != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("heap/stream", func(b *testing.B) {
		for b.Loop() {
			x, err := heap.AllocOn(4096, s)
			if err != nil || heap.FreeOn(x, s) != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("heap/async", func(b *testing.B) { // freed on the stream, allocated without one: many frees share an event
		for b.Loop() {
			x, err := heap.Alloc(1024)
			if err != nil || heap.FreeAsync(x, s) != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkGrowth compares the growth of a pool by a chunk with the driver's call for the same size.
func BenchmarkGrowth(b *testing.B) {
	l := newLab(b, 0)
	b.Run("driver", func(b *testing.B) {
		for b.Loop() {
			p, err := l.device.Alloc(64 << 10)
			if err != nil || l.device.Free(p) != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("pool", func(b *testing.B) {
		p := new(pools.DirectPool)
		for b.Loop() {
			x, err := p.Alloc(64 << 10)
			if err != nil || p.Free(x) != nil {
				b.Fatal(err)
			}
		}
	})
}
