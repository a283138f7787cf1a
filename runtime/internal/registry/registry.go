// Package registry has what all pools of a program share: the list of pools, the settings that options change, and the functions that get events. Package poolrt
// gives programs access to it, and the engines of package poolimpl fill it.
package registry

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/poolgen/poolgen/internal/inturn"
	"github.com/poolgen/poolgen/runtime/internal/budget"
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
	Name      string
	Allocator string // as the pool file names it
	Limit     int64
	Chunk     int64 // usual size of a chunk
	Prime     int64 // bytes reserved when the pool is created
	Trim      any   // *poolrt.TrimPolicy, nil to keep all chunks
	Device    int
	Meter     Meter // nil without a meter
	Budget    *budget.Budget
	Guarantee int64 // bytes of the budget that the pool can always have
	Priority  int
}

// Sleep are the values that options of one sleep change.
type Sleep struct {
	Contents uint8 // a poolrt.SleepContents
	Streams  any   // []poolimpl.Stream: those that may be using the pool; nil: all of its devices
}

// Meter counts the calls of a source and of the driver, each with its duration.
type Meter interface{ Count(time.Duration) }

// Program returns the import path of the main package or, without build information, the name of the executable file. The build information is parsed once, as each
// snapshot has the name.
func Program() string {
	program.Do(func() {
		program.name = filepath.Base(os.Args[0])
		if info, ok := debug.ReadBuildInfo(); ok && info.Path != "" {
			program.name = info.Path
		}
	})
	return program.name
}

// program is for Program alone, which programs link that ask for it: a variable with a function in it would be linked by all.
var program struct {
	sync.Once
	name string
}

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

// Send calls each listener with the events, in their order. If a listener panics, the other calls follow before the panic goes on. The caller must not hold
// the lock of a pool.
func Send[E any](events []E) {
	if len(events) == 0 {
		return
	}
	inturn.Call(all(), func(listener *func(any)) {
		inturn.Call(events, func(e E) { (*listener)(e) })
	})
}
