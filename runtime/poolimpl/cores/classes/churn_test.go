package classes

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"
)

// change is a step of the load: the block to replace and the bytes of the new one.
type change struct{ index, bytes uint32 }

// newTrace returns steps over a number of live blocks of 16 B to 64 KiB, each power of two equally likely.
func newTrace(live, steps int) []change {
	x := uint64(88172645463325252)
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

func BenchmarkClassesChurn(b *testing.B) {
	for _, live := range []int{1 << 10, 100_000} {
		b.Run(fmt.Sprint(live), func(b *testing.B) {
			const base, steps = 1 << 40, 1 << 20
			c := newCore()
			c.Add(0, base, 32<<30)
			trace := newTrace(live, steps)
			type held struct{ addr, bytes uint64 }
			blocks := make([]held, live)
			replace := func(j int, bytes uint64) {
				_, off, _ := c.Alloc(bytes, 1)
				blocks[j] = held{base + off, bytes}
			}
			for j := range blocks {
				replace(j, uint64(trace[steps-1-j].bytes))
			}
			at := 0
			step := func() {
				t := trace[at%steps]
				at++
				c.Free(blocks[t.index].addr, blocks[t.index].bytes)
				replace(int(t.index), uint64(t.bytes))
			}
			for range 8 * live {
				step()
			}
			before := atomicAdd()
			b.ReportAllocs()
			for b.Loop() {
				step()
			}
			ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			b.ReportMetric(ns/min(before, atomicAdd()), "adds/op")
		})
	}
}
