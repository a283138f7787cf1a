// Package registry is what all pools of a program share: the list of pools, what options set, and who hears of events. Package poolrt shows it to
// programs, and package poolimpl, whose engines are the pools, fills it.
package registry

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// pools lists the pools of the program that have been used and not closed, in order of first use. Its lock may be taken with a pool's lock held, and
// never the other way round.
var pools struct {
	mu   sync.Mutex
	list []any
}

// Register adds a pool.
func Register(pool any) {
	pools.mu.Lock()
	defer pools.mu.Unlock()
	pools.list = append(pools.list, pool)
}

// Unregister takes out a pool, if it is there.
func Unregister(pool any) {
	pools.mu.Lock()
	defer pools.mu.Unlock()
	if at := slices.Index(pools.list, pool); at >= 0 {
		pools.list = slices.Delete(pools.list, at, at+1)
	}
}

// All lists the pools that are of some type: of the engine, or an interface of it.
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

// Settings is what the options of a pool set.
type Settings struct {
	Name   string
	Limit  int64
	Device int
	Meter  Meter // nil: nobody counts
}

// Meter counts calls of a pool's source and driver, each with the time that it took.
type Meter interface{ Count(time.Duration) }

// listeners is the list of functions that hear of events, replaced as a whole on each change.
var listeners struct {
	mu   sync.Mutex
	list atomic.Pointer[[]*func(event any)]
}

// Listen has f called with each event, until stop is called.
func Listen(f func(event any)) (stop func()) {
	listener := &f
	change(func(l []*func(any)) []*func(any) { return append(slices.Clone(l), listener) })
	return func() {
		change(func(l []*func(any)) []*func(any) {
			return slices.DeleteFunc(slices.Clone(l), func(other *func(any)) bool { return other == listener })
		})
	}
}

func change(f func([]*func(any)) []*func(any)) {
	listeners.mu.Lock()
	defer listeners.mu.Unlock()
	l := f(all())
	listeners.list.Store(&l)
}

func all() []*func(any) {
	if l := listeners.list.Load(); l != nil {
		return *l
	}
	return nil
}

// Listening reports whether anybody hears of events.
func Listening() bool { return len(all()) > 0 }

// Send tells each listener of the events, in their order. The caller holds no lock of a pool.
func Send[E any](events []E) {
	if len(events) == 0 {
		return
	}
	for _, listener := range all() {
		for _, e := range events {
			(*listener)(e)
		}
	}
}
