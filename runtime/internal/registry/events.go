package registry

import (
	"slices"
	"sync"
	"sync/atomic"
)

// listeners is the list of functions that get events. A change replaces the whole list, so Send reads it without the lock.
var listeners struct {
	mu   sync.Mutex
	list atomic.Pointer[[]*func(event any)]
}

// Listen registers f for all events, until stop is called.
func Listen(f func(event any)) (stop func()) {
	listener := &f
	change(func(l []*func(any)) []*func(any) { return append(slices.Clone(l), listener) })
	return func() {
		change(func(l []*func(any)) []*func(any) {
			return slices.DeleteFunc(slices.Clone(l), func(other *func(any)) bool { return other == listener })
		})
	}
}

// change replaces the list by what f makes of it.
func change(f func([]*func(any)) []*func(any)) {
	listeners.mu.Lock()
	defer listeners.mu.Unlock()
	l := f(all())
	listeners.list.Store(&l)
}

// all returns the list, which must not be changed.
func all() []*func(any) {
	if l := listeners.list.Load(); l != nil {
		return *l
	}
	return nil
}

// Listening reports whether a function is registered.
func Listening() bool { return len(all()) > 0 }

// Send calls each listener with the events, in their order. The caller must not hold the lock of a pool.
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
