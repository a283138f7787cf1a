package threads

import (
	"github.com/poolgen/poolgen/tests/pools/bench/cache"
	"github.com/poolgen/poolgen/tests/pools/bench/pools"
)

// atLimit are pools at their limit, of which all workers have a share.
func atLimit() []subject {
	sharded := func() cache.Pool { return new(pools.CacheShardedPool) }
	return []subject{
		{name: "heap, sharded: cache", kind: "cache", start: caches(sharded, (*cache.Cache).Renew), goals: goalsOf("1: 4 R_set, many: 1.2 R_set")},
		{name: "heap, sharded: cache, just filled", kind: "cache", start: caches(sharded, nil)},
		{name: "heap, mutex: cache, just filled", kind: "cache", start: caches(cacheWithLock, nil)},
	}
}

// cacheWithLock is the pool of R_set.
func cacheWithLock() cache.Pool { return new(pools.CacheMutexPool) }

// caches sets values of caches that drop others. The workers fill the pool before they are measured, each as much as it gets, and then do what after does, if it is not nil.
func caches(pool func() cache.Pool, after func(*cache.Cache)) func(int) session {
	return func(n int) session {
		p := pool()
		return session{each(n, func(i int) work {
			c, filled := cache.New(p, i), false
			return func(n int) int {
				if !filled {
					c.Fill()
					if after != nil {
						after(c)
					}
					filled = true
				}
				return c.Sets(n)
			}
		}), func() { check(p.CloseForce()) }}
	}
}

// failed makes allocations that fail at the limit, with so many live blocks.
func failed(pool func() cache.Pool) func(int) session {
	return full(pool, cache.Fail)
}

// counted reads the statistics of a pool at its limit.
func counted(pool func() cache.Pool) func(int) session {
	return full(pool, func(p cache.Pool, n int) {
		for range n {
			p.Stats()
		}
	})
}

// full repeats an operation on a pool at its limit.
func full(pool func() cache.Pool, op func(p cache.Pool, n int)) func(int) session {
	return func(count int) session {
		p := pool()
		check(cache.Full(p, count))
		return session{each(1, func(int) work {
			return func(n int) int {
				op(p, n)
				return n
			}
		}), func() { check(p.CloseForce()) }}
	}
}
