package heap

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"
)

// churn is a deterministic load: a number of live blocks of 16 B to 64 KiB, each power of two equally likely, of which a
// random one is replaced at a time.
type churn struct {
	rng   uint64
	base  []uint64 // of the chunks, which never touch
	chunk uint64
	core  *Core
	live  []held
}

type held struct{ addr, bytes uint64 }

func (c *churn) next() (index int, bytes uint64) {
	x := c.rng
	x ^= x << 13
	x ^= x >> 7
	x ^= x << 17
	c.rng = x
	octave := 4 + x>>8%12
	return int(x >> 32 * uint64(len(c.live)) >> 32), 1<<octave + x>>16&(1<<octave-1)
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

// newChurn returns a load that has filled up.
func newChurn(core *Core, live int, chunk uint64) *churn {
	c := &churn{rng: 88172645463325252, chunk: chunk, core: core, live: make([]held, live)}
	for i := range c.live {
		_, bytes := c.next()
		c.live[i] = c.alloc(bytes)
	}
	return c
}

// step replaces one block.
func (c *churn) step() {
	i, bytes := c.next()
	c.core.Free(c.live[i].addr, c.live[i].bytes)
	c.live[i] = c.alloc(bytes)
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

func BenchmarkHeapChurn(b *testing.B) {
	for _, load := range loads {
		b.Run(fmt.Sprint(load.live), func(b *testing.B) {
			c := newChurn(new(Core), load.live, load.chunk)
			for range 2 * load.live {
				c.step()
			}
			before := atomicAdd()
			b.ReportAllocs()
			for b.Loop() {
				c.step()
			}
			ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			b.ReportMetric(ns/min(before, atomicAdd()), "adds/op")
		})
	}
}

// loads are the numbers of live blocks and chunk sizes that figures are stated for, with the least utilisation.
var loads = []struct {
	live  int
	chunk uint64
	least float64
}{
	{1_000, 2 << 20, 0.85},
	{100_000, 32 << 20, 0.93},
}

// TestUtilisation measures the largest sum of live bytes against the bytes of all chunks.
func TestUtilisation(t *testing.T) {
	for _, load := range loads {
		core := new(Core)
		c := newChurn(core, load.live, load.chunk)
		for range 8 * load.live {
			c.step()
		}
		core.space.check(t)
		u := core.Usage()
		var sum, peak uint64
		for _, h := range c.live {
			sum += h.bytes
		}
		if u.LiveBytes != sum {
			t.Fatalf("%d bytes live, counted %d", sum, u.LiveBytes)
		}
		peak = max(u.PeakBytes, sum) // without counters, the end has to do
		got := float64(peak) / float64(uint64(len(c.base))*load.chunk)
		nodes := float64(len(core.space.nodes)) / float64(load.live)
		t.Logf("%d live: %.1f %% of %d chunks, %.2f nodes a block", load.live, 100*got, len(c.base), nodes)
		if granule <= 256 && minSplit <= 256 && fit != fitFirst && got < load.least {
			t.Errorf("%d live: %.1f %% utilisation, want %.0f", load.live, 100*got, 100*load.least)
		}
	}
}
