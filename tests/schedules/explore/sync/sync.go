// Package sync has the names of the standard library's. Its operations are scheduling points of package explore.
package sync

import (
	"sync"

	"github.com/poolgen/poolgen/tests/schedules/explore"
)

// Locker is the standard library's.
type Locker = sync.Locker

// Mutex is the standard library's.
type Mutex struct{ lock explore.Lock }

func (m *Mutex) Lock()         { m.lock.Take() }
func (m *Mutex) TryLock() bool { return m.lock.Try() }
func (m *Mutex) Unlock()       { m.lock.Release() }

// Cond is the standard library's.
type Cond struct {
	L    Locker
	cond explore.Cond
}

func (c *Cond) Wait()      { c.cond.Wait(c.L.Unlock, c.L.Lock) }
func (c *Cond) Signal()    { c.cond.Call(1, "Signal") }
func (c *Cond) Broadcast() { c.cond.Call(1<<30, "Broadcast") }

// Once is the standard library's: no schedule ends a function within Do.
type Once = sync.Once

// OnceFunc is the standard library's: no schedule ends a function within it.
func OnceFunc(f func()) func() { return sync.OnceFunc(f) }

// OnceValue is the standard library's: no schedule ends a function within it.
func OnceValue[T any](f func() T) func() T { return sync.OnceValue(f) }
