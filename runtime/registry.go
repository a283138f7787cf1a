package runtime

import (
	"slices"
	"sync"
)

// registry is all pools of the program that have been used and not closed, in order of first use. Its lock may be taken with a pool's lock held, and
// never the other way round.
var registry struct {
	mu    sync.Mutex
	pools []*Engine
}

// register adds a pool.
func register(e *Engine) {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	registry.pools = append(registry.pools, e)
}

// unregister takes out a pool, if it is there.
func unregister(e *Engine) {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	if at := slices.Index(registry.pools, e); at >= 0 {
		registry.pools = slices.Delete(registry.pools, at, at+1)
	}
}

// allPools lists them.
func allPools() []*Engine {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	return slices.Clone(registry.pools)
}

// Pools describes all pools of the program, in order of first use. A pool is listed from the first call that leaves the fast path, which
// the first allocation does, until Close or CloseForce has returned all its memory. A pool that is dropped without that stays listed,
// as its memory stays reserved.
//
// Pools are locked one after the other, each for as long as its Stats take. Those of concurrency none are not touched: they leave a copy
// of their figures, which [PoolInfo.Seen] dates. Safe for concurrent use.
func Pools() []PoolInfo {
	all := []PoolInfo{}
	for _, e := range allPools() {
		all = append(all, e.info())
	}
	return all
}
