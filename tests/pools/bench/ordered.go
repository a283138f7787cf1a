package main

import (
	"github.com/poolgen/poolgen/tests/pools/bench/pools"
	"github.com/poolgen/poolgen/tests/pools/bench/trace"
)

// otherCases measures the pools of temporaries.
func otherCases() []benchmark {
	return []benchmark{
		{"ring: pair, 64 in flight", fifo, times(1.2, "R_add"), ""},
		{"ring: any order within 256", shuffled(new(pools.RingPool), 256), times(3.5, "R_add"), ""},
		{"ring, mutex: any order within 256", shuffled(new(pools.RingLockedPool), 256), locked(3.5, 1.1), ""},
		{"bump: alloc", bump, times(0.4, "R_add"), ""},
		{"bump, mutex: alloc", bumpLocked, locked(0.4, 0.55), ""},
	}
}

// flight is the number of live blocks.
const flight = 64

// fifo frees the oldest of the live blocks; an operation is one free and one alloc.
func fifo() func(int) {
	p := new(pools.RingPool)
	held := new([flight][]byte)
	for i := range held {
		held[i] = must(p.Alloc(4096))
	}
	return func(n int) {
		for i := range n {
			if err := p.Free(held[i%flight]); err != nil {
				panic(err)
			}
			b, err := p.Alloc(4096)
			if err != nil {
				panic(err)
			}
			held[i%flight] = b
		}
	}
}

// windows is the number of orders that shuffled uses before it repeats them: more than a branch predictor learns.
const windows = 256

// shuffled frees each block of a window once, in a random order for each window; the blocks of the next window replace
// them.
func shuffled(p bytesPool, window int) func() func(int) {
	return func() func(int) {
		r := trace.Random(trace.Seed)
		order := make([]int, 0, windows*window)
		for range windows {
			w := order[len(order) : len(order)+window]
			for i := range w {
				j := int(r.Next() % uint64(i+1))
				w[i] = w[j]
				w[j] = i
			}
			order = order[:len(order)+window]
		}
		held := make([][]byte, window)
		for i := range held {
			held[i] = must(p.Alloc(4096))
		}
		at := 0
		return func(n int) {
			for range n {
				i := order[at]
				if err := p.Free(held[i]); err != nil {
					panic(err)
				}
				held[i] = must(p.Alloc(4096))
				if at++; at == len(order) {
					at = 0
				}
			}
		}
	}
}

// frame is the number of blocks that are allocated between two resets.
const frame = leastTurn

// bump allocates 256 bytes at a time, and resets the pool after each frame.
func bump() func(int) {
	p := new(pools.BumpPool)
	return func(n int) {
		for ; n > 0; n -= frame {
			for range frame {
				if _, err := p.Alloc(256); err != nil {
					panic(err)
				}
			}
			if err := p.Reset(); err != nil {
				panic(err)
			}
		}
	}
}

// bumpLocked is bump under the pool's lock.
func bumpLocked() func(int) {
	p := new(pools.BumpLockedPool)
	return func(n int) {
		for ; n > 0; n -= frame {
			for range frame {
				if _, err := p.Alloc(256); err != nil {
					panic(err)
				}
			}
			if err := p.Reset(); err != nil {
				panic(err)
			}
		}
	}
}
