package registry

import (
	"slices"
	"sync"
	"sync/atomic"
)

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
