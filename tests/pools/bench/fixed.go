package main

import "github.com/poolgen/poolgen/tests/pools/bench/pools"

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
