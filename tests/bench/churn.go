package main

import (
	"fmt"
	"io"

	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/bench/pools"
)

// bytesPool is a pool of bytes.
type bytesPool interface {
	Alloc(n int) ([]byte, error)
	Free([]byte) error
	Stats() runtime.Stats
}

// random is xorshift64: fast, and the same everywhere.
type random uint64

func (r *random) next() uint64 {
	x := uint64(*r)
	x ^= x << 13
	x ^= x >> 7
	x ^= x << 17
	*r = random(x)
	return x
}

const seed = 88172645463325252

// step is one operation of a churn: which block is replaced, and by what size.
type step struct{ slot, size uint32 }

// churn makes steps over so many live blocks, of sizes from 16 B to 64 KiB: each octave is as likely as the others.
func churn(live, steps int) []step {
	r := random(seed)
	s := make([]step, steps)
	for i := range s {
		v := r.next()
		e := 4 + (v>>8)%12
		s[i] = step{uint32((v >> 32) * uint64(live) >> 32), uint32(uint64(1)<<e + (v>>16)&(1<<e-1))}
	}
	return s
}

// churning fills a pool and returns what replaces blocks: an operation is one free and one alloc. The steps are made beforehand and
// run through again and again.
func churning(p bytesPool, live int) func() func(int) {
	return func() func(int) {
		steps := churn(live, max(1<<16, 4*live))
		blocks := make([][]byte, live)
		for i := range blocks {
			blocks[i] = must(p.Alloc(int(steps[i].size)))
		}
		at := 0
		return func(n int) {
			for range n {
				s := steps[at]
				if at++; at == len(steps) {
					at = 0
				}
				if err := p.Free(blocks[s.slot]); err != nil {
					panic(err)
				}
				blocks[s.slot] = must(p.Alloc(int(s.size)))
			}
		}
	}
}

func heapCases() []benchmark {
	type row struct {
		name   string
		pool   bytesPool
		live   int
		target func(refs) float64
		bound  string
	}
	none := func(refs) float64 { return 1e9 }
	var cases []benchmark
	for _, r := range []row{
		{"heap good, 1,000 live", new(pools.SmallPool), 1000, times(12, "R_add"), "12 R_add"},
		{"heap good, 100,000 live", new(pools.LargePool), 100_000, times(28, "R_add"), "28 R_add"},
		{"heap good, mutex, 1,000 live", new(pools.SmallLockedPool), 1000, locked(12, "R_add"), "12 R_add + 1.1 R_mu2"},
		{"heap first, 1,000 live", new(pools.FirstPool), 1000, none, "O(log n)"},
		{"heap first, 100,000 live", new(pools.FirstLargePool), 100_000, none, "O(log n)"},
		{"heap best, 1,000 live", new(pools.BestPool), 1000, none, "O(log n)"},
		{"heap best, 100,000 live", new(pools.BestLargePool), 100_000, none, "O(log n)"},
		{"binned, 1,000 live", new(pools.BinnedPool), 1000, times(6, "R_add"), "6 R_add"},
		{"binned, mutex, 1,000 live", new(pools.BinnedLockedPool), 1000, locked(6, "R_add"), "6 R_add + 1.1 R_mu2"},
		{"classes, 1,000 live", new(pools.ClassesPool), 1000, times(4, "R_add"), "4 R_add"},
		{"classes, mutex, 1,000 live", new(pools.ClassesLockedPool), 1000, locked(4, "R_add"), "4 R_add + 1.1 R_mu2"},
	} {
		cases = append(cases, benchmark{r.name, churning(r.pool, r.live), r.target, r.bound})
	}
	return cases
}

// utilisation prints how much of what the heaps reserve is in use at the peak of a churn.
func utilisation(w io.Writer) {
	for _, c := range []struct {
		name string
		pool bytesPool
		live int
		goal float64
	}{
		{"heap good, 1,000 live, chunks of 2 MiB", new(pools.SmallPool), 1000, 0.85},
		{"heap good, 100,000 live, chunks of 32 MiB", new(pools.LargePool), 100_000, 0.93},
		{"heap first, 1,000 live, chunks of 2 MiB", new(pools.FirstPool), 1000, 0},
		{"heap best, 1,000 live, chunks of 2 MiB", new(pools.BestPool), 1000, 0},
		{"binned, 1,000 live, chunks of 2 MiB", new(pools.BinnedPool), 1000, 0},
		{"classes, 1,000 live, chunks of 8 MiB", new(pools.ClassesPool), 1000, 0},
	} {
		churning(c.pool, c.live)()(8 * c.live)
		s := c.pool.Stats()
		fmt.Fprintf(w, "utilisation, %s: %.1f %%", c.name, 100*float64(s.PeakBytes)/float64(s.PeakReserved))
		if c.goal > 0 {
			fmt.Fprintf(w, " (target %.0f %%)", 100*c.goal)
		}
		fmt.Fprintln(w)
	}
}
