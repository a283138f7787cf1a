// Package poolimpl is the part of a pool that is the same for all pools. Generated code calls it, and so do package cuda and the tests of generated pools.
// Programs use package poolrt. Package poolimpl promises nothing beyond the versions of output in config.go.
//
// A generated pool consists of a suballocator ([Core], specialised for the pool and called directly) and an [Engine]. The engine is ordinary code, called when
// the core has no free block, when a chunk becomes empty, or when a call is refused:
//
//	Alloc -> core has a block -> return                     (the fast path: generated code alone)
//	      -> Engine.Alloc -> grow within limit and budget   (one caller grows; the others may still free and allocate)
//	                      -> the ladder: trim, wait, another pool, error
package poolimpl

import (
	"sync"
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/internal/budget"
	"github.com/poolgen/poolgen/runtime/internal/trace"
)

// Engine is the part of a pool outside its fast path. It obtains chunks within the limits, runs the ladder when no block is free, serves waiters, returns
// chunks, and closes the pool. A generated pool holds an Engine by value; its zero value becomes ready with Init. Exported methods take the pool's lock,
// except those marked as part of the fast path.
//
// Sources, drivers, other pools and event hooks are called with the lock released, so each of them may use the pool. After a panic in one of them the pool can
// be used, and no block is lost: an allocation that ends with the panic gives its blocks back. Event hooks run at the end of an operation, so any other
// operation has done its work. Blocks that go back to another pool may run its hooks earlier: if one panics while streams are polled, the operation (Poll, Close,
// Reset) can be repeated. In a pool without a lock (Config.Locked false) the user orders the calls.
//
// Engine consists of parts. A method whose effect stays within one part belongs to that part; a method of Engine crosses parts. Parts are embedded if generated code
// calls their methods, or if they only group others. The caller of an unexported method holds e.mu, unless its comment says otherwise; in a pool without a lock, it is
// the only caller. In the middle of an operation, only unlocked releases the lock, except that waitIdle and awaitDriver wait on a condition. Methods of Engine and of
// layouts call unlocked; so do streams, activity and clearing, and a waiter to sleep. states.go has the states of a byte, and what takes it from one to the
// next. An operation ends with unlockAndNotify or, if it only reads, with unlock.
//
// Locks are taken in the order mu, those of StreamQueues, those of the core. A caller that holds none of them or only mu takes the registry's, those of budgets, those
// of observed, in this order. The lock of fences comes last. No caller holds mu of two engines, and only a caller that holds mu locks two queues.
type Engine struct {
	poolLock             // its mutex guards every field that does not name another guard
	waiters              // its count is part of the fast path
	ready    atomic.Bool // Init has run; set last
	chunks               // its first field is part of the fast path, and shares a cache line with the mutex and the count of waiters
	observed             // guarded by locks of its own; its first field is part of the fast path of pools with the key profile
	name     poolName
	setup
	memory memory
	limits limits
	membership
	fullness fullness // read without mu
	streams
	activity activity
	clearing
	outside
	life    life
	figures figures
	sampled
}

// setup is what Init sets.
type setup struct {
	config    *Config // as generated; Import replaces it before the first use
	generated *Config // set once, for those who do not hold mu
	core      cores
	order     ordering // noOrder: no free waits for a stream
}

// membership is what a pool is to the others of its budget.
type membership struct {
	budget   *budget.Member // the place of the pool in its budget; nil: it has none
	priority int
	hooks    hooks // guarded by a lock of its own
}

// guarantee returns the bytes that the pool can always have of its budget.
func (m *membership) guarantee() int64 {
	if m.budget == nil {
		return 0
	}
	return m.budget.Guarantee
}

// outside is the memory that lies in no chunk.
type outside struct {
	foreign foreign
	graphs  graphs
}

// sampled are the blocks that are sampled, and which one is next.
type sampled struct {
	guards    guards
	Countdown // of a core that is not shared; read by the fast path if blocks are sampled
}

// observed is what builds with the tags pooldebug and pooltrace record of blocks, and the samples of pools with the key profile; in other pools it is empty.
type observed struct {
	samples trace.Samples
	debug   debugState
	tracing tracing
}

// poolLock is the lock of a pool.
type poolLock struct {
	mu      sync.Mutex
	unlocks uint32 // times that the lock was released in the middle of an operation
	// The pool has no lock. Unlike Config.Locked, none is set only once: others may list the pool while Import replaces its Config.
	none bool
}

func (l *poolLock) lock() {
	if !l.none {
		l.Lock()
	}
}

func (l *poolLock) unlock() {
	if !l.none {
		l.mu.Unlock()
	}
}

// TryLock takes the pool's lock if it is free; otherwise LockSlow takes it. In locked pools one call of Lock would cost as much as the lock itself. The
// caller does not hold e.mu.
func (l *poolLock) TryLock() bool { return l.mu.TryLock() }

// Lock takes the pool's lock. The caller does not hold e.mu.
func (l *poolLock) Lock() {
	if !l.TryLock() {
		l.LockSlow()
	}
}

// Unlock releases the pool's lock.
func (l *poolLock) Unlock() { l.mu.Unlock() }

// unlocked runs f with the lock released, and takes the lock again even if f panics. The caller holds the lock. If l is nil there is no lock.
func (l *poolLock) unlocked(f func()) {
	if l == nil {
		f()
		return
	}
	l.unlocks++
	l.unlock()
	defer l.lock()
	f()
}

// activity counts the callers that are in the middle of an operation with the lock released. While there are sleepers, idle is broadcast when one of these
// operations ends.
type activity struct {
	binding     bool      // one caller is binding the source
	limiting    bool      // one caller is lowering the limit
	turning     bool      // one caller makes the pool fall asleep or wake
	driverCalls int       // callers that use the driver's own pool behind the source, or return what a Binder obtained
	sleepers    int       // callers in waitIdle
	idle        sync.Cond // on mu

	lock    *poolLock // e.mu
	waiters *waiters
	limits  *limits
}

// begin begins an activity, until end.
func (a *activity) begin(what *bool) (end func()) {
	*what = true
	return func() {
		*what = false
		a.wakeIdle()
	}
}

// wakeIdle wakes the callers in waitIdle.
func (a *activity) wakeIdle() {
	if a.sleepers > 0 {
		a.idle.Broadcast()
	}
}

// busy reports whether another caller is about to change what the pool may hold: it obtains or returns memory, or is in one of the activities.
func (a *activity) busy() bool {
	return a.limits.growing > 0 || a.limits.releasing > 0 || a.limiting || a.binding || a.turning || a.driverCalls > 0
}

// visit calls f with the lock released. The pool is not closed meanwhile.
func (a *activity) visit(f func()) {
	a.driverCalls++
	defer func() {
		a.driverCalls--
		a.wakeIdle()
	}()
	a.lock.unlocked(f)
}

// waitIdle waits until another caller's operation that makes the pool busy has ended, a block was freed, or the request's context has ended. It reports false
// if there is nothing to wait for. A pool without a lock has no other callers: it can only be busy if a source or hook calls back into its own pool.
func (a *activity) waitIdle(r request) bool {
	if a.lock.none || !a.busy() {
		return false
	}
	if r.ctx != nil {
		stop := r.wait.after(r.ctx, func() {
			a.lock.mu.Lock()
			defer a.lock.mu.Unlock()
			a.idle.Broadcast()
		})
		defer stop()
	}
	a.sleepIdle()
	return true
}

// sleepIdle waits until idle is broadcast.
func (a *activity) sleepIdle() {
	a.lock.unlocks++
	a.sleepers++
	a.waiters.count.Add(1)
	a.idle.Wait()
	a.sleepers--
	a.waiters.count.Add(-1)
}

// moment is how many loads of a variable take about two microseconds.
const moment = 1300

var untouched atomic.Uint32

//go:noinline
func pause() uint32 { return untouched.Load() }

// patience is how many moments a caller stays away from the lock before it queues.
const patience = 8

// LockSlow takes a lock after TryLock has failed. It stays away from the lock for about two microseconds and tries again, up to patience times; then it queues for
// the lock as usual. Meanwhile the holder can do more operations, with the lock and its data in the caches of one processor. The queue of the mutex gives every
// caller a turn. With several threads at work, operations as short as those of a pool take half the time:
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

// LockSlow takes the pool's lock after TryLock has failed.
func (l *poolLock) LockSlow() { LockSlow(&l.mu) }
