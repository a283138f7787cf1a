package runtime

import (
	"sync"
	"sync/atomic"
)

// moment is how many looks elsewhere make up about two microseconds.
const moment = 1300

// untouched is never written to.
var untouched atomic.Uint32

//go:noinline
func pause() uint32 { return untouched.Load() }

// patience is how many such moments a caller keeps away before it stands in line.
const patience = 8

// LockSlow takes a lock that was found taken. It keeps away from it for about two microseconds before it looks again, some times, and then takes it as ever.
// Meanwhile whoever has the lock, and what it guards in the caches of its own processor, does some operations more without anybody pulling at them; that
// everyone gets a turn is seen to by the lock. With several threads at work, operations as short as those of a pool take half the time for it:
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
