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
	trace []change // repeated from its start
	at    int
	base  []uint64 // of the chunks, which never touch
	chunk uint64
	core  *Core
	live  []held
}

type held struct{ addr, bytes uint64 }

// change is a step of the load: the block to replace and the bytes of the new one.
type change struct{ index, bytes uint32 }

// newTrace returns a load's steps, a power of two of them.
func newTrace(seed uint64, live, steps int) []change {
	x := seed
	trace := make([]change, steps)
	for i := range trace {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		octave := 4 + x>>8%12
		trace[i] = change{uint32(x >> 32 * uint64(live) >> 32), uint32(1<<octave + x>>16&(1<<octave-1))}
	}
	return trace
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
	const seed = 88172645463325252
	c := &churn{trace: newTrace(seed, live, 1<<20), chunk: chunk, core: core, live: make([]held, live)}
	for i, t := range newTrace(seed*3%(1<<64), live, live) {
		c.live[i] = c.alloc(uint64(t.bytes))
	}
	return c
}

// step replaces one block.
func (c *churn) step() {
	t := c.trace[c.at&(len(c.trace)-1)]
	c.at++
	b := &c.live[t.index]
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

func BenchmarkHeapChurn(b *testing.B) {
	for _, load := range loads {
		b.Run(fmt.Sprint(load.live), func(b *testing.B) {
			core := newCore()
			c := newChurn(&core, load.live, load.chunk)
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

// loads are the numbers of live blocks and chunk sizes that figures are stated for, with the least utilisation of each fit. The
// small one needs five or six chunks, whatever the fit: which of the two is a matter of luck.
var loads = []struct {
	live  int
	chunk uint64
	least [3]float64
}{
	{1 << 10, 2 << 20, [3]float64{GoodFit: 0.85, FirstFit: 0.70, BestFit: 0.70}},
	{100_000, 32 << 20, [3]float64{GoodFit: 0.93, FirstFit: 0.83, BestFit: 0.93}},
}

// TestUtilisation measures the largest sum of live bytes against the bytes of all chunks.
func TestUtilisation(t *testing.T) {
	if granule > 4096 {
		t.Skip("the blocks are smaller than a granule")
	}
	for _, load := range loads {
		core := newCore()
		c := newChurn(&core, load.live, load.chunk)
		for range 8 * load.live {
			c.step()
		}
		core.Space.check(t)
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
		nodes := float64(len(core.Space.nodes)) / float64(load.live)
		t.Logf("%d live: %.1f %% of %d chunks, %.2f nodes a block", load.live, 100*got, len(c.base), nodes)
		least := load.least[fit]
		if granule != 16 || minSplit > 16 || !feature.Counters {
			least = 0 // rounding takes its part; what is live at the end is less than the peak
		}
		if got < least {
			t.Errorf("%d live: %.1f %% utilisation, want %.0f", load.live, 100*got, 100*least)
		}
	}
}
