package binned

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
)

// churn is a deterministic load: a number of live blocks of 16 B and up, each power of two equally likely, of which a random one is
// replaced at a time.
type churn struct {
	load
	trace []change // repeated from its start
	at    int
	base  []uint64 // of the chunks, which never touch
	core  *Core
	held  []held
}

// load describes a churn.
type load struct {
	live    int
	octaves uint64 // 12: up to 64 KiB; 8: up to 4 KiB
	chunk   uint64
	least   float64 // utilisation with the usual bins
}

type held struct{ addr, bytes uint64 }

// change is a step of the load: the block to replace and the bytes of the new one.
type change struct{ index, bytes uint32 }

// loads are those that figures are stated for.
var loads = []load{
	{1_000, 12, 2 << 20, 0.65},
	{100_000, 12, 32 << 20, 0.80},
	{1_000, 8, 512 << 10, 0.45},
	{100_000, 8, 8 << 20, 0.65},
}

func (l load) String() string { return fmt.Sprintf("%d/%dKiB", l.live, 1<<l.octaves*16/1024) }

// newTrace returns a load's steps.
func newTrace(x uint64, l load, steps int) []change {
	trace := make([]change, steps)
	for i := range trace {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		octave := 4 + x>>8%l.octaves
		trace[i] = change{uint32(x >> 32 * uint64(l.live) >> 32), uint32(1<<octave + x>>16&(1<<octave-1))}
	}
	return trace
}

// newChurn returns a load that has filled up.
func newChurn(l load) *churn {
	core := newCore()
	c := &churn{load: l, trace: newTrace(88172645463325252, l, 1<<20), core: &core, held: make([]held, l.live)}
	for i, t := range newTrace(362436069, l, l.live) {
		c.held[i] = c.alloc(uint64(t.bytes))
	}
	return c
}

// alloc takes a block, from another chunk if need be.
func (c *churn) alloc(bytes uint64) held {
	slot, off, ok := c.core.Alloc(bytes, 1)
	if !ok {
		slot = uint32(len(c.base))
		c.base = append(c.base, 1<<44+uint64(slot)*(c.chunk+1<<20))
		c.core.Add(slot, c.base[slot], c.chunk)
		slot, off, _ = c.core.Alloc(bytes, 1)
	}
	return held{c.base[slot] + off, bytes}
}

// step replaces one block.
func (c *churn) step() {
	t := c.trace[c.at&(len(c.trace)-1)]
	c.at++
	b := &c.held[t.index]
	c.core.Free(b.addr, b.bytes)
	*b = c.alloc(uint64(t.bytes))
}

// atomicAdd returns the time of an atomic addition, the unit in which this package's speed is stated.
func atomicAdd() float64 {
	var x atomic.Uint64
	best := time.Hour
	for range 5 {
		start := time.Now()
		for range 200_000 {
			x.Add(1)
		}
		best = min(best, time.Since(start))
	}
	return float64(best.Nanoseconds()) / 200_000
}

// report states the result of a benchmark in atomic additions too.
func report(b *testing.B) {
	b.StopTimer()
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/atomicAdd(), "adds/op")
}

func BenchmarkChurn(b *testing.B) {
	for _, l := range loads {
		b.Run(l.String(), func(b *testing.B) {
			c := newChurn(l)
			for range 2*l.live + 20_000 {
				c.step()
			}
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				c.step()
			}
			report(b)
		})
	}
}

// BenchmarkPair takes and frees a number of blocks by turns: for one, its slab is put aside each time.
func BenchmarkPair(b *testing.B) {
	for _, n := range []int{1, 2, 64} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := newChurn(load{live: 1, octaves: 1, chunk: 1 << 20})
			held := make([]held, n)
			b.ResetTimer()
			for k := 0; k < b.N; k += n {
				for i := range held {
					held[i] = c.alloc(100)
				}
				for _, h := range held {
					c.core.Free(h.addr, h.bytes)
				}
			}
			report(b)
		})
	}
}

// TestUtilisation measures the largest sum of live bytes against the bytes of all chunks.
func TestUtilisation(t *testing.T) {
	var s heap.Space
	s.Set(feature.Params)
	s.Add(0, 1<<40, unit+64)
	split := s.Room(s.Alloc(unit, unit, 1)) == unit // the heap keeps rests of 64 bytes
	usual := split && fmt.Sprint(len(bins), bins[0], top) == "9 16 4096"
	for _, l := range loads {
		c := newChurn(l)
		for range 4 * l.live {
			c.step()
		}
		u := c.core.Usage()
		var sum uint64
		for _, h := range c.held {
			sum += h.bytes
		}
		if u.LiveBytes != sum {
			t.Fatalf("%d bytes live, counted %d", sum, u.LiveBytes)
		}
		got := float64(max(u.PeakBytes, sum)) / float64(uint64(len(c.base))*l.chunk)
		held := 100 * float64(u.Occupied) / float64(uint64(len(c.base))*l.chunk)
		t.Logf("%v: %.1f %% of %d chunks, %.1f %% with rounding, %d KiB cached", l, 100*got, len(c.base), held, u.Cached>>10)
		if usual && got < l.least {
			t.Errorf("%v: %.1f %% utilisation, want %.0f", l, 100*got, 100*l.least)
		}
	}
}
