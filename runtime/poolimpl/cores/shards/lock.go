package shards

import (
	"sync"
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/internal/build"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// lock is the lock of a shard. A processor owns it that has taken it often: goroutines that are pinned to the owner ([poolimpl.Pin]) use the shard without the
// mutex, which takes no atomic instruction. Whoever takes the mutex takes the lock from its owner first. The idea is that of biased locking (Kawachiya, Koseki and
// Onodera, Lock Reservation, OOPSLA 2002).
//
// The race detector does not know that goroutines on one processor follow each other, so no lock has an owner with it.
type lock struct {
	mu       sync.Mutex
	owner    atomic.Uint32     // number of the processor that owns the lock, plus 1; 0: none. It is set with mu held
	allocs   uint32            // since the lock had an owner; mu guards it
	patience poolimpl.Patience // mu guards changes
}

// patience is the least number of blocks of a shard that are allocated with the mutex before a processor owns the lock. Tests have others.
var patience uint32 = 1 << 16

// hasOwners reports whether locks have owners.
const hasOwners = poolimpl.Pins && !build.Race

// isOwn reports whether processor p, to which the caller is pinned, owns the lock.
func (l *lock) isOwn(p uint32) bool { return hasOwners && l.owner.Load() == p+1 }

// enter begins to use the shard, for a moment: as the owner of the lock, in which case the caller is pinned, or with the mutex.
func (l *lock) enter() (pinned bool) {
	if l.owner.Load() != 0 {
		if l.isOwn(poolimpl.Pin()) {
			return true
		}
		poolimpl.Unpin()
	}
	l.Lock()
	return false
}

// leave ends enter.
func (l *lock) leave(pinned bool) {
	if pinned {
		poolimpl.Unpin()
	} else {
		l.mu.Unlock()
	}
}

// Lock takes the mutex, and the lock from its owner.
func (l *lock) Lock() {
	if !l.mu.TryLock() {
		poolimpl.LockSlow(&l.mu)
	}
	if l.owner.Load() != 0 {
		l.stopOwner()
		poolimpl.Synchronize()
	}
}

// Unlock ends Lock.
func (l *lock) Unlock() { l.mu.Unlock() }

// stopOwner has the owner take the mutex from now on. A goroutine that is pinned there may be using the shard: [poolimpl.Synchronize] waits until it is not. The
// mutex is held.
func (l *lock) stopOwner() {
	l.owner.Store(0)
	l.patience.End()
}

// disown takes the locks of all shards from their owners, in the time that one takes.
func (c *Core) disown() {
	all := c.all()
	owned := 0
	for i := range all {
		if all[i].owner.Load() != 0 {
			owned++
		}
	}
	if owned < 2 {
		return
	}
	for i := range all {
		if all[i].mu.Lock(); all[i].owner.Load() != 0 {
			all[i].stopOwner()
		}
	}
	poolimpl.Synchronize()
	for i := range all {
		all[i].mu.Unlock()
	}
}

// unlockTo ends Lock, after an allocation. Processor p owns the lock after many of them.
func (l *lock) unlockTo(p uint32) {
	if l.allocs++; hasOwners && l.patience.IsOver(l.allocs) {
		l.allocs = 0
		l.patience.Begin()
		l.owner.Store(p + 1)
	}
	l.mu.Unlock()
}
