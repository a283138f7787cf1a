package runtime

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// Engine is the cold half of a pool: it obtains chunks within the limits, climbs the ladder when there is nothing to hand out, wakes
// those who wait, gives chunks back, and closes. Generated pools hold one by value; its zero value becomes ready with
// Init. Everything but the methods marked as part of the fast path takes the pool's lock by itself.
//
// Sources, other pools and event hooks are called with the lock released, so each of them may use the pool, and a
// panic in one leaves the pool as it was. In a pool without a lock (Config.Locked false) the user orders the calls.
type Engine struct {
	mu       sync.Mutex             // guards all that names no other guard
	waiting  atomic.Int32           // len(waiters.queue) + activity.sleepers; frees read it without mu
	ready    atomic.Bool            // Init has run; set last
	name     atomic.Pointer[string] // read without mu
	config   *Config                // as generated; Import replaces it before first use
	bases    []unsafe.Pointer       // per slot; nil for memory that Go code cannot address
	places   places
	core     cores
	chunks   chunkTable
	memory   memory
	limits   limits
	streams  streams
	waiters  waiters
	activity activity
	foreign  foreign
	life     life
	figures  figures
	observed observed // guarded by a lock of its own
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

// memory is where chunks come from. Its Source is nil until a Binder has been bound, and in pools of numbers.
type memory struct {
	Bound
	pages      paging
	unit, next int64          // Config.ChunkSize in whole units of the source, and the size of the next chunk: unit, or more for Config.Double
	endings    []func() error // what could not be given back when the pool was unbound
	stopWatch  func()         // ends the calls of streamEnds
}

// limits counts bytes: reserved + growing <= bound <= limit. While growing > 0 one caller is at the source, and the budget has been reserved. releasing
// is a part of reserved.
type limits struct {
	limit     int64 // in force: Config.Limit, or lower
	bound     int64 // of growth: limit, or lower still while SetLimit is at work
	reserved  int64 // that the source gave and did not get back
	growing   int64 // that one caller is asking the source for; 0: nobody is
	releasing int64 // of reserved, that callers are giving back
	released  int64 // that the source got back so far
	chunks    int64 // that make up reserved
}

// streams is what was freed on streams and may still be in use there. A pending block is the last one, in one queue, or its range is in flight. Fences in
// use are being asked about, with the lock released, and are not released before.
type streams struct {
	queues         streamQueues
	inFlight       []inFlight
	anyInFlight    atomic.Bool // len(inFlight) > 0, for those without mu
	inUse, release []Fence
	reclaimed      uint64    // frees that came back to all so far
	polling        bool      // one caller is asking the driver what has completed
	calls          int       // callers that are asking the driver anything
	answered       sync.Cond // on mu: one of calls has ended
	err            error     // what the driver answered last when it was asked what has completed; nil: no error
}

// waiters is the allocations on the rung wait, in order of arrival. Who serves one takes it off the queue first; who leaves wakes the next.
type waiters struct{ queue []*waiter }

// activity is who is in the middle of something with the lock released.
type activity struct {
	binding     bool      // one caller is binding the source
	limiting    bool      // one caller is lowering the limit
	driverCalls int       // callers that use the driver's pool behind the source
	sleepers    int       // callers that wait for one of these, growth or release to end
	unlocks     int       // times that the lock was released in the middle of an operation
	idle        sync.Cond // on mu: broadcast when one of these ends
}

// life is opened once and closed once.
type life struct {
	opened     bool      // the first use has happened
	primed     bool      // Config.Prime was tried
	closed     bool      // Close has succeeded
	badItem    error     // why the item type cannot live in a pool
	final      Usage     // what the core had counted when the pool was closed
	unreturned []Chunk   // each Close tries these again
	trimAt     time.Time // when the next idle chunk should go back; zero: none
	device     int       // as OnDevice says, NoDevice without
}

// figures are counted under mu; events are sent after it.
type figures struct {
	peakReserved, failures, softCrossings int64

	meter     *Meter     // nil: nobody counts
	events    []Event    // to be sent once the lock is released
	published *published // of a pool without a lock, what others read of it; else nil
}

// observed is what builds with the tags pooldebug and pooltrace know of blocks; it is empty without.
type observed struct {
	debug   debugState
	tracing tracing
}

// poolName returns the name of the pool. The lock may be held or not: pools are looked for by name while others of them are being opened.
func (e *Engine) poolName() string {
	if name := e.name.Load(); name != nil {
		return *name
	}
	return ""
}

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
		e.name.Store(&config.Name)
		e.life.device = NoDevice
		e.chunks.sortsByAddr = config.PerDevice || Debug
		e.chunks.sortsBySize = config.Trim != nil && config.Trim.Growth
		e.limits.limit, e.limits.bound = config.Limit, config.Limit
		e.attach(Bound{Source: config.Source, Allocator: config.Allocator})
		e.activity.idle.L, e.streams.answered.L = &e.mu, &e.mu
		if !config.Locked {
			e.figures.published = new(published)
			e.publish()
		}
		e.observed.debug.init(config)
		register(e)
		e.ready.Store(true)
	}
}

// Lock takes the pool's lock.
func (e *Engine) Lock() {
	if !e.TryLock() {
		e.LockSlow()
	}
}

// TryLock is Lock that fails where others have the lock: then it is Contend that takes it. Part of the fast path of locked pools, where one call of
// Lock would cost as much as the lock.
func (e *Engine) TryLock() bool { return e.mu.TryLock() }

// Unlock releases it.
func (e *Engine) Unlock() { e.mu.Unlock() }

// Base returns the start of a chunk in memory that Go code can address. Part of the fast path: the slot comes
// from the core, which knows no others than the table holds, so the index is not checked again.
func (e *Engine) Base(slot uint32) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(e.bases)), uintptr(slot)*unsafe.Sizeof(e.bases[0])))
}

// Address returns the start of a chunk as a number. Part of the fast path of pools that hand out numbers, unchecked as Base is.
func (e *Engine) Address(slot uint32) uint64 { return e.chunks.at(slot).Addr }

// Origin returns the source's own note of a chunk. Part of the fast path of pools whose chunks are known by a handle, unchecked as Base is.
func (e *Engine) Origin(slot uint32) uint64 { return e.chunks.at(slot).Origin }

// HasWaiters reports whether somebody waits for a block. Part of the fast path of frees, under the lock.
func (e *Engine) HasWaiters() bool { return e.waiting.Load() != 0 }

// lock and unlock go by what never changes: others may list a pool while it is given a description of its own.
func (e *Engine) lock() {
	if e.figures.published == nil {
		e.mu.Lock()
	}
}

func (e *Engine) unlock() {
	if e.figures.published == nil {
		e.mu.Unlock()
	}
}

// unlockAndNotify ends an operation: it gives back the marks that the operation dropped, lets others see what has become of a pool without a lock, releases the
// lock and then sends the events.
func (e *Engine) unlockAndNotify() {
	e.releaseFences()
	events := e.figures.events
	e.figures.events = nil
	e.publishDue()
	e.unlock()
	send(events)
}

// unlocked runs f with the lock released, and takes it again also when f panics.
func (e *Engine) unlocked(f func()) {
	e.activity.unlocks++
	e.unlock()
	defer e.lock()
	f()
}

// busy reports whether another caller is about to change what the pool may hold.
func (e *Engine) busy() bool {
	return e.limits.growing > 0 || e.limits.releasing > 0 || e.activity.limiting || e.activity.binding || e.activity.driverCalls > 0
}

// waitIdle waits until growth, release or lowering of the limit by another caller has ended, or a block was freed. It reports false if
// there is nothing to wait for. Without a lock there are no others, only a source or hook that calls back into its own pool.
func (e *Engine) waitIdle() bool { return e.waitIdleFor(request{}) }

// waitIdleFor is settle that ends with the request's context too.
func (e *Engine) waitIdleFor(r request) bool {
	if !e.config.Locked || !e.busy() {
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
	e.waiting.Add(1)
	e.activity.idle.Wait()
	e.activity.sleepers--
	e.waiting.Add(-1)
	return true
}

// wakeIdle wakes those in settle.
func (e *Engine) wakeIdle() {
	if e.activity.sleepers > 0 {
		e.activity.idle.Broadcast()
	}
}
