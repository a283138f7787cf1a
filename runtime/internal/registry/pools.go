// Package registry has what all pools of a program share: the list of pools, the settings that options change, and the functions that get events. Package poolrt
// gives programs access to it, and the engines of package poolimpl fill it.
package registry

import (
	"slices"
	"sync"
	"time"
)

// pools is the list of the pools that have been used and not closed, in order of first use. A goroutine that holds the lock of a pool may take mu; one that holds mu
// must not take the lock of a pool.
var pools struct {
	mu   sync.Mutex
	list []any
}

// Register adds a pool to the list.
func Register(pool any) {
	pools.mu.Lock()
	defer pools.mu.Unlock()
	pools.list = append(pools.list, pool)
}

// Unregister removes a pool from the list, if it is there.
func Unregister(pool any) {
	pools.mu.Lock()
	defer pools.mu.Unlock()
	if at := slices.Index(pools.list, pool); at >= 0 {
		pools.list = slices.Delete(pools.list, at, at+1)
	}
}

// All returns the pools of type T, which is the type of the engine or an interface that engines implement.
func All[T any]() []T {
	pools.mu.Lock()
	defer pools.mu.Unlock()
	all := make([]T, 0, len(pools.list))
	for _, p := range pools.list {
		if p, ok := p.(T); ok {
			all = append(all, p)
		}
	}
	return all
}

// Settings are the values that options of a pool change.
type Settings struct {
	Name   string
	Limit  int64
	Device int
	Meter  Meter // nil without a meter
}

// Meter counts the calls of a source and of the driver, each with its duration.
type Meter interface{ Count(time.Duration) }
