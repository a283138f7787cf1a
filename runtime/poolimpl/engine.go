// Package poolimpl is the part of a pool that is the same for all pools. Generated code calls it, and so do package cuda and the tests of generated pools.
// Programs use package poolrt. Nothing is promised here beyond the versions of output in config.go.
//
// A generated pool is a suballocator ([Core], specialised for the pool and called directly) beside an [Engine], ordinary code that
// is called when the core has no free block, when a chunk becomes empty, or when something is wrong:
//
//	Alloc -> core has a block -> return                     (the fast path: generated code alone)
//	      -> Engine.Alloc -> grow within limit and budget   (one caller grows; the others may still free and allocate)
//	                      -> the ladder: trim, wait, another pool, error
package poolimpl

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/internal/registry"
)

// Engine is the cold half of a pool. It obtains chunks within the limits, runs the ladder when there is nothing to hand out, serves waiters, gives chunks back, and
// closes. Generated pools hold one by value; its zero value becomes ready with Init. Exported methods take the pool's lock, except those marked as part of the
// fast path.
//
// Sources, drivers, other pools and event hooks are called with the lock released, so each of them may use the pool, and a panic in one of them leaves the pool
// as it was. In a pool without a lock (Config.Locked false) the user orders the calls.
//
// Engine consists of parts. A method whose effect stays within one part belongs to that part. A method of Engine crosses parts. In the middle of an operation
// only unlocked releases the lock, save for waitIdle and awaitDriver, which sleep on a condition. Methods of Engine and of layouts call unlocked, streams does so
// to ask the driver, and a waiter to sleep. An operation ends with unlockAndNotify, or with unlock if it only reads.
//
// Locks are taken in the order mu, the registry's, Budget.mu, those of observed. Nobody holds mu of two engines at once.
type Engine struct {
	poolLock // its mutex guards all that names no other guard
	waiters  waiters
	ready    atomic.Bool // Init has run; set last
	chunks   chunkTable  // its first field is on the fast path, and shares a cache line with the mutex and waiters.count
	name     poolName
	config   *Config // as generated; Import replaces it before first use
	core     cores
	memory   memory
	limits   limits
	streams  streams
	activity activity
	foreign  foreign
	life     life
	figures  figures
	observed observed // guarded by locks of its own
}

// poolName is the name of a pool. It is read with mu held or not: pools are looked up by name while others are being opened.
type poolName struct{ p atomic.Pointer[string] }

func (n *poolName) set(name string) { n.p.Store(&name) }

// get returns "" before the first use of the pool.
func (n *poolName) get() string {
	if p := n.p.Load(); p != nil {
		return *p
	}
	return ""
}

// cores is the suballocator as each of its interfaces; nil where it is none.
type cores struct {
	Core
	shared  SharedCore // goroutines call it without the lock
	stream  StreamCore // the pool is ordered with streams
	paged   PagedCore  // memory may come by pages
	sharing SharingCore
}

// as finds out which interfaces a suballocator has.
func (c *cores) as(core Core) {
	c.Core = core
	c.shared, _ = core.(SharedCore)
	c.stream, _ = core.(StreamCore)
	c.paged, _ = core.(PagedCore)
	c.sharing, _ = core.(SharingCore)
}

// observed is what builds with the tags pooldebug and pooltrace know of blocks; it is empty without.
type observed struct {
	debug   debugState
	tracing tracing
}

// Name returns the name of the pool. The lock may be held or not: pools are looked for by name while others of them are being opened.
func (e *Engine) Name() string { return e.name.get() }

// Init makes the engine ready on first use and returns it. When it is ready already, that costs the look at a flag.
func (e *Engine) Init(config *Config, core Core) *Engine {
	if !e.ready.Load() {
		e.init(config, core)
	}
	return e
}

func (e *Engine) init(config *Config, core Core) {
	if config.Locked {
		e.mu.Lock()
		defer e.mu.Unlock()
	}
	if e.config == nil {
		e.config = config
		e.core.as(core)
		e.streams.lock, e.streams.memory = &e.poolLock, &e.memory
		e.name.set(config.Name)
		e.life.device = NoDevice
		e.chunks.shared = e.core.shared != nil
		e.chunks.sized = config.Trim != nil && config.Trim.Growth
		e.limits.limit, e.limits.bound = config.Limit, config.Limit
		e.attach(Bound{Source: config.Source, Allocator: config.Allocator})
		if config.Locked {
			e.activity.idle.L, e.streams.answered.L = &e.mu, &e.mu
		} else {
			e.none = true
			e.figures.published = new(published)
			e.figures.published.set(e.describe())
		}
		e.observed.debug.init(config)
		registry.Register(e)
		e.ready.Store(true)
	}
}

// poolLock is the lock of a pool.
type poolLock struct {
	mu      sync.Mutex
	unlocks uint32 // times that unlocked has released the lock
	none    bool   // the pool has no lock; unlike Config.Locked, it is set once: others may list a pool while Import replaces its Config
}

func (l *poolLock) lock() {
	if !l.none {
		l.mu.Lock()
	}
}

func (l *poolLock) unlock() {
	if !l.none {
		l.mu.Unlock()
	}
}

// unlocked runs f with the lock released, and takes the lock again even if f panics.
func (l *poolLock) unlocked(f func()) {
	l.unlocks++
	l.unlock()
	defer l.lock()
	f()
}

// unlockAndNotify ends an operation. It releases the fences that the operation has dropped, publishes the figures of a pool without a lock, releases the lock
// and sends the events.
func (e *Engine) unlockAndNotify() {
	e.streams.releaseFences()
	events := e.figures.takeEvents()
	if p := e.figures.published; p != nil && p.due(e.limits.chunks) {
		p.set(e.describe())
	}
	e.unlock()
	registry.Send(events)
}

// activity is who is in the middle of an operation with the lock released. idle is broadcast whenever one of these ends, as long as there are sleepers.
type activity struct {
	binding     bool      // one caller is binding the source
	limiting    bool      // one caller is lowering the limit
	driverCalls int       // callers that use the driver's pool behind the source
	sleepers    int       // callers in waitIdle
	idle        sync.Cond // on mu
}

// wakeIdle wakes the callers in waitIdle.
func (a *activity) wakeIdle() {
	if a.sleepers > 0 {
		a.idle.Broadcast()
	}
}

// busy reports whether another caller is about to change what the pool may hold: it grows, gives back, or is in one of the activities.
func (a *activity) busy(l *limits) bool {
	return l.growing > 0 || l.releasing > 0 || a.limiting || a.binding || a.driverCalls > 0
}

// waitIdle waits until an operation of another caller that makes the pool busy has ended, a block was freed, or the request is over. It reports
// false if there is nothing to wait for. In a pool without a lock there are no other callers, only a source or hook that calls back into its own pool.
func (e *Engine) waitIdle(r request) bool {
	if !e.config.Locked || !e.activity.busy(&e.limits) {
		return false
	}
	if r.ctx != nil {
		stop := context.AfterFunc(r.ctx, func() {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.activity.idle.Broadcast()
		})
		defer stop()
	}
	e.activity.sleepers++
	e.waiters.count.Add(1)
	e.activity.idle.Wait()
	e.activity.sleepers--
	e.waiters.count.Add(-1)
	return true
}

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
