package main

import (
	"math/rand/v2"

	"github.com/poolgen/poolgen/tests/pools/bench/pools"
)

type block = [64]byte

// blockPool is a pool of blocks. Loops over single blocks are repeated for each type of pool, with direct calls as in programs: through
// this interface the call would cost more than the method.
type blockPool interface {
	Alloc() (*block, error)
	Free(*block) error
	AllocBatch([]*block) (int, error)
	FreeBatch([]*block) error
}

func fixedCases() []benchmark {
	one, grow, locked1 := new(pools.OnePool), new(pools.GrowPool), new(pools.LockedPool)
	for _, p := range []blockPool{one, grow, locked1} {
		_ = must(p.Alloc()) // keeps the chunk from becoming empty
	}
	return []benchmark{
		{"fixed, one chunk: pair", func() func(int) {
			return func(n int) {
				for range n {
					b, err := one.Alloc()
					if err != nil {
						panic(err)
					}
					if err := one.Free(b); err != nil {
						panic(err)
					}
				}
			}
		}, times(1.5, "R_inc2"), ""},
		{"fixed, growing: pair", func() func(int) {
			return func(n int) {
				for range n {
					b, err := grow.Alloc()
					if err != nil {
						panic(err)
					}
					if err := grow.Free(b); err != nil {
						panic(err)
					}
				}
			}
		}, times(0.9, "R_add"), ""},
		{"fixed, mutex: pair", func() func(int) {
			return func(n int) {
				for range n {
					b, err := locked1.Alloc()
					if err != nil {
						panic(err)
					}
					if err := locked1.Free(b); err != nil {
						panic(err)
					}
				}
			}
		}, times(1.25, "R_mu2"), ""},
		{"fixed, one chunk: block of a batch of 64", batches(one), times(0.7, "R_add"), ""},
		{"fixed, growing: block of a batch of 64", batches(grow), times(0.7, "R_add"), ""},
		{"fixed, mutex: block of a batch of 64", batches(locked1), times(0.7, "R_add"), ""},
		{"fixed, one chunk: 500 of a million freed and allocated", bursts(new(pools.GrowWholePool)), nil, ""},
		{"fixed, growing: 500 of a million freed and allocated", bursts(new(pools.GrowPool)), nil, ""},
		{"fixed, mutex, one chunk: 500 of a million freed and allocated", bursts(new(pools.LockedWholePool)), nil, ""},
		{"fixed, mutex: 500 of a million freed and allocated", bursts(new(pools.LockedPool)), nil, ""},
	}
}

// bursts frees 500 blocks that lie anywhere among a million, and allocates 500; an operation is one of each.
func bursts(p blockPool) func() func(int) {
	return func() func(int) {
		live := make([]*block, 1_000_000)
		for i := range live {
			live[i] = must(p.Alloc())
		}
		r := rand.New(rand.NewPCG(1, 2))
		r.Shuffle(len(live), func(i, j int) { live[i], live[j] = live[j], live[i] })
		return func(n int) {
			for ; n > 0; n -= 500 {
				at := r.IntN(len(live) - 500)
				some := live[at : at+500]
				for _, b := range some {
					check(p.Free(b))
				}
				for i := range some {
					some[i] = must(p.Alloc())
				}
			}
		}
	}
}

// batches allocates and frees 64 blocks at a time; an operation is one block.
func batches(p blockPool) func() func(int) {
	return func() func(int) {
		held := make([]*block, 64)
		return func(n int) {
			for ; n > 0; n -= len(held) {
				if _, err := p.AllocBatch(held); err != nil {
					panic(err)
				}
				if err := p.FreeBatch(held); err != nil {
					panic(err)
				}
			}
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
