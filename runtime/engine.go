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
	mu        sync.Mutex
	waiting   atomic.Int32     // how many callers a free may help: len(queue) + pending
	bases     []unsafe.Pointer // per slot; nil for memory that Go code cannot address
	chunks    chunkTable
	places    places
	pages     paging
	debug     debugState // of a debug build
	tracing   tracing    // of a traced build
	published *published // of a pool without a lock; else nil

	config     *Config
	core       Core
	shared     SharedCore             // core, if goroutines call it without the lock; else nil
	streamCore StreamCore             // core, in a pool that is ordered with streams; else nil
	memory     Bound                  // its Source is nil until a Binder has been bound, and in pools of numbers
	name       atomic.Pointer[string] // see label
	meter      *Meter                 // nil: nobody counts

	queues          streamQueues
	inFlight        []inFlight
	anyInFlight     atomic.Bool // len(hot) > 0
	reclaimed       uint64      // frees on streams that came back to all so far
	polling         bool        // one caller is asking the driver what has completed
	calls           int         // callers that are asking the driver anything about streams
	answered        sync.Cond   // broadcast when one of those has had its answer
	fencesInUse     []Fence     // marks that they ask about
	fencesToRelease []Fence     // marks to be given back
	driverErr       error       // what the driver answered last when it was asked what has completed; nil: no error
	stopWatch       func()      // ends the calls of streamEnds

	device int   // as OnDevice says, NoDevice without
	limit  int64 // in force: Config.Limit, or lower
	bound  int64 // of growth: limit, or lower still while SetLimit is at work
	chunk  int64 // Config.ChunkSize in whole units of the source
	next   int64 // size of the next chunk: chunk, or more for Config.Double

	reserved  int64 // bytes that the source gave and has not got back
	count     int64 // chunks that make up reserved
	growing   int64 // bytes that one caller is asking the source for; 0: nobody is
	releasing int64 // bytes of reserved that callers are giving back
	released  int64 // bytes that the source has got back so far
	unlocks   int   // times that the lock was released in the middle of an operation
	limiting  bool  // one caller is lowering the limit

	waiters  []*waiter // allocations on the rung wait, in their order
	sleepers int       // callers that wait for growth or release to end
	idle     sync.Cond // broadcast to those

	endings     []func() error // what could not be given back when the pool was unbound
	driverUsers int            // callers that use the driver's pool behind the source
	opening     bool           // one caller is binding the source
	opened      bool           // the first use has happened
	primed      bool           // Config.Prime was tried
	closed      bool           // Close has succeeded
	badItem     error          // why the item type cannot live in a pool
	final       Usage          // what the core had counted when the pool was closed
	unreturned  []Chunk
	trimAt      time.Time // when the next idle chunk should go back; zero: none
	events      []Event   // to be sent once the lock is released
	foreign     foreign

	peakReserved  int64
	failures      int64
	softCrossings int64
}

// poolName returns the name of the pool. The lock may be held or not: pools are looked for by name while others of them are being opened.
func (e *Engine) poolName() string {
	if name := e.name.Load(); name != nil {
		return *name
	}
	return ""
}

// Init makes the engine ready on first use and returns it. Cost: a lock and a comparison when it is ready already.
func (e *Engine) Init(config *Config, core Core) *Engine {
	if config.Locked {
		e.mu.Lock()
		defer e.mu.Unlock()
	}
	if e.config == nil {
		e.config, e.core = config, core
		e.name.Store(&config.Name)
		e.streamCore, _ = core.(StreamCore)
		e.shared, _ = core.(SharedCore)
		e.device = NoDevice
		e.chunks.sortsByAddr = config.PerDevice || Debug
		e.chunks.sortsBySize = config.Trim != nil && config.Trim.Growth
		e.limit, e.bound = config.Limit, config.Limit
		e.attach(Bound{Source: config.Source, Allocator: config.Allocator})
		e.idle.L, e.answered.L = &e.mu, &e.mu
		if !config.Locked {
			e.published = new(published)
			e.publish()
		}
		register(e)
	}
	return e
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
	if e.published == nil {
		e.mu.Lock()
	}
}

func (e *Engine) unlock() {
	if e.published == nil {
		e.mu.Unlock()
	}
}

// unlockAndNotify ends an operation: it gives back the marks that the operation dropped, lets others see what has become of a pool without a lock, releases the
// lock and then sends the events.
func (e *Engine) unlockAndNotify() {
	e.releaseFences()
	events := e.events
	e.events = nil
	e.publishDue()
	e.unlock()
	send(events)
}

// unlocked runs f with the lock released, and takes it again also when f panics.
func (e *Engine) unlocked(f func()) {
	e.unlocks++
	e.unlock()
	defer e.lock()
	f()
}

// busy reports whether another caller is about to change what the pool may hold.
func (e *Engine) busy() bool {
	return e.growing > 0 || e.releasing > 0 || e.limiting || e.opening || e.driverUsers > 0
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
			e.idle.Broadcast()
		})
		defer stop()
	}
	e.sleepers++
	e.waiting.Add(1)
	e.idle.Wait()
	e.sleepers--
	e.waiting.Add(-1)
	return true
}

// wakeIdle wakes those in settle.
func (e *Engine) wakeIdle() {
	if e.sleepers > 0 {
		e.idle.Broadcast()
	}
}
