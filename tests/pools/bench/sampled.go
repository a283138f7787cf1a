package main

import (
	"fmt"

	"github.com/poolgen/poolgen/tests/pools/bench/pools"
)

// pair is a pool without a key that samples blocks, and the pool that differs in this key alone, with loops that allocate and free one block.
type pair struct {
	name        string
	locked      bool
	plain, with func(n int)
}

// pairs returns the pairs, with the loops written out: through an interface a call would cost more than the method.
func pairs() []pair {
	grow, growGuard := new(pools.GrowPool), new(pools.GrowGuardPool)
	locked, lockedGuard := new(pools.LockedPool), new(pools.LockedGuardPool)
	fixedSharded, fixedShardedGuard := new(pools.FixedShardedPool), new(pools.FixedShardedGuardPool)
	fixedMagazine, fixedMagazineGuard := new(pools.FixedMagazinePool), new(pools.FixedMagazineGuardPool)
	small, smallGuard := new(pools.SmallPool), new(pools.SmallGuardPool)
	heapMutex8, heapMutex8Guard := new(pools.HeapMutex8Pool), new(pools.HeapMutex8GuardPool)
	heapSharded8, heapSharded8Guard := new(pools.HeapSharded8Pool), new(pools.HeapSharded8GuardPool)
	heapTrims8, heapTrims8Guard := new(pools.HeapTrims8Pool), new(pools.HeapTrims8GuardPool)
	return []pair{
		{"fixed, none", false, func(n int) {
			for range n {
				b, _ := grow.Alloc()
				_ = grow.Free(b)
			}
		}, func(n int) {
			for range n {
				b, _ := growGuard.Alloc()
				_ = growGuard.Free(b)
			}
		}},
		{"fixed, mutex", true, func(n int) {
			for range n {
				b, _ := locked.Alloc()
				_ = locked.Free(b)
			}
		}, func(n int) {
			for range n {
				b, _ := lockedGuard.Alloc()
				_ = lockedGuard.Free(b)
			}
		}},
		{"fixed, sharded", false, func(n int) {
			for range n {
				b, _ := fixedSharded.Alloc()
				_ = fixedSharded.Free(b)
			}
		}, func(n int) {
			for range n {
				b, _ := fixedShardedGuard.Alloc()
				_ = fixedShardedGuard.Free(b)
			}
		}},
		{"fixed, magazine", false, func(n int) {
			for range n {
				b, _ := fixedMagazine.Alloc()
				_ = fixedMagazine.Free(b)
			}
		}, func(n int) {
			for range n {
				b, _ := fixedMagazineGuard.Alloc()
				_ = fixedMagazineGuard.Free(b)
			}
		}},
		{"heap, none", false, func(n int) {
			for range n {
				b, _ := small.Alloc(64)
				_ = small.Free(b)
			}
		}, func(n int) {
			for range n {
				b, _ := smallGuard.Alloc(64)
				_ = smallGuard.Free(b)
			}
		}},
		{"heap, mutex", true, func(n int) {
			for range n {
				b, _ := heapMutex8.Alloc(64)
				_ = heapMutex8.Free(b)
			}
		}, func(n int) {
			for range n {
				b, _ := heapMutex8Guard.Alloc(64)
				_ = heapMutex8Guard.Free(b)
			}
		}},
		{"heap, sharded", false, func(n int) {
			for range n {
				b, _ := heapSharded8.Alloc(64)
				_ = heapSharded8.Free(b)
			}
		}, func(n int) {
			for range n {
				b, _ := heapSharded8Guard.Alloc(64)
				_ = heapSharded8Guard.Free(b)
			}
		}},
		{"heap, sharded, trim", true, func(n int) {
			for range n {
				b, _ := heapTrims8.Alloc(64)
				_ = heapTrims8.Free(b)
			}
		}, func(n int) {
			for range n {
				b, _ := heapTrims8Guard.Alloc(64)
				_ = heapTrims8Guard.Free(b)
			}
		}},
	}
}

// sampledReferences are the pairs of pools without the key.
func sampledReferences() (list []benchmark) {
	for _, p := range pairs() {
		list = append(list, benchmark{"R_" + p.name, func() func(int) { return p.plain }, nil, "pair without guard"})
	}
	return list
}

// sampledCases are the pairs of pools with the key: at most a nanosecond more or, where there is a lock, 2 %.
func sampledCases() (list []benchmark) {
	for _, p := range pairs() {
		most := target{{1, "R_" + p.name}, {1, "ns"}}
		if p.locked {
			most = times(1.02, "R_"+p.name)
		}
		list = append(list, benchmark{fmt.Sprintf("%s: pair with guard", p.name), func() func(int) { return p.with }, most, ""})
	}
	return list
}
