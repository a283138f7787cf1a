package poolimpl

import (
	"sync"
	"sync/atomic"
)

// moment is how many loads of a variable take about two microseconds.
const moment = 1300

// untouched is never written to.
var untouched atomic.Uint32

//go:noinline
func pause() uint32 { return untouched.Load() }

// patience is how many such moments a caller stays away from the lock before it queues.
const patience = 8

// LockSlow takes a lock that was found taken. It stays away from it for about two microseconds, up to patience times, before it looks again; then it queues for the
// lock as usual. Meanwhile the holder does some more operations with the lock and its data in the caches of one processor. The lock's own queue sees to it that
// everyone gets a turn. With several threads at work, operations as short as those of a pool take half the time:
//
//	go -C tests/pools run ./bench -threads -run mutex
//
//go:noinline
func LockSlow(mu *sync.Mutex) {
	for range patience {
		for range moment {
			pause()
		}
		if mu.TryLock() {
			return
		}
	}
	mu.Lock()
}

// LockSlow takes the pool's lock when TryLock has found it taken.
func (e *Engine) LockSlow() { LockSlow(&e.mu) }
