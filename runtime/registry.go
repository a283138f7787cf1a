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
