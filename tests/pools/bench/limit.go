package main

import (
	"github.com/poolgen/poolgen/tests/pools/bench/cache"
	"github.com/poolgen/poolgen/tests/pools/bench/pools"
)

// limitReferences are what a pool with a lock takes at its limit.
func limitReferences() []benchmark {
	return []benchmark{
		{"R_fail", failing(new(pools.HeapMutex8Pool), 1000), nil, "heap, mutex: one failed Alloc, 1,000 live"},
		{"R_stats", counting(new(pools.HeapMutex8Pool), 1000), nil, "heap, mutex: Stats, 1,000 live"},
		{"R_set", setting(new(pools.CacheMutexPool)), nil, "heap, mutex: a set of a cache at its limit, 64 B to 2 KiB"},
	}
}

// limitCases measures pools at their limit.
func limitCases() []benchmark {
	return []benchmark{
		{"at the limit: one failed Alloc, mutex, 1,000,000 live", failing(new(pools.HeapMutex8Pool), 1_000_000), times(3, "R_fail"), ""},
		{"at the limit: one failed Alloc, sharded, 1,000 live", failing(new(pools.HeapSharded8Pool), 1000), times(4, "R_fail"), ""},
		{"at the limit: one failed Alloc, sharded, 1,000,000 live", failing(new(pools.HeapSharded8Pool), 1_000_000), times(4, "R_fail"), ""},
		{"at the limit: Stats, sharded, 1,000,000 live", counting(new(pools.HeapSharded8Pool), 1_000_000), times(8, "R_stats"), ""},
		{"at the limit: a set of a cache, sharded", setting(new(pools.CacheShardedPool)), times(4, "R_set"), ""},
	}
}

// failing makes allocations that fail.
func failing(p cache.Pool, live int) func() func(int) {
	return func() func(int) {
		check(cache.Full(p, live))
		return func(n int) { cache.Fail(p, n) }
	}
}

// counting reads the statistics of a pool that does not change.
func counting(p cache.Pool, live int) func() func(int) {
	return func() func(int) {
		check(cache.Full(p, live))
		return func(n int) {
			for range n {
				p.Stats()
			}
		}
	}
}

// setting sets values of a cache that drops others.
func setting(p cache.Pool) func() func(int) {
	return func() func(int) {
		c := cache.New(p, 0)
		c.Fill()
		return func(n int) { c.Sets(n) }
	}
}
