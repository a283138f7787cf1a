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
	mu      sync.Mutex
	waiting atomic.Int32     // how many callers a free may help: len(queue) + parked
	bases   []unsafe.Pointer // per slot; nil for memory that Go code cannot address
	chunks  chunkTable
	places  places
	pages   paging
	watch   watching // of a debug build
	tracing tracing  // of a traced build
	shown   *shown   // of a pool without a lock; else nil

	config  *Config
	core    Core
	shared  SharedCore             // core, if goroutines call it without the lock; else nil
	parking ParkingCore            // core, in a pool that is ordered with streams; else nil
	memory  Bound                  // its Source is nil until a Binder has been bound, and in pools of numbers
	name    atomic.Pointer[string] // see label
	meter   *Meter                 // nil: nobody counts

	lanes   Lanes
	hot     []hotPlace
	warm    atomic.Bool // len(hot) > 0
	retired uint64      // frees on streams that came back to all so far
	polling bool        // one caller is asking the driver what has completed
	calls   int         // callers that are asking the driver anything about streams
	silent  sync.Cond   // broadcast when one of those has had its answer
	pinned  []Mark      // marks that they ask about
	dropped []Mark      // marks to be given back
	trouble error       // what the driver answered last when it was asked what has completed; nil: no error
	unwatch func()      // ends the calls of streamEnds

	device int   // as OnDevice says, NoDevice without
	limit  int64 // in force: Config.Limit, or lower
	bound  int64 // of growth: limit, or lower still while SetLimit is at work
	chunk  int64 // Config.ChunkSize in whole units of the source
	next   int64 // size of the next chunk: chunk, or more for Config.Double

	reserved int64 // bytes that the source gave and has not got back
	count    int64 // chunks that make up reserved
	asking   int64 // bytes that one caller is asking the source for; 0: nobody is
	leaving  int64 // bytes of reserved that callers are giving back
	gone     int64 // bytes that the source has got back so far
	yields   int   // times that the lock was released in the middle of an operation
	lowering bool  // one caller is lowering the limit

	queue  []*waiter // allocations on the rung wait, in their order
	parked int       // callers that wait for growth or release to end
	calm   sync.Cond // broadcast to those

	ends     []func() error // what could not be given back when the pool was unbound
	guests   int            // callers that use the driver's pool behind the source
	opening  bool           // one caller is binding the source
	opened   bool           // the first use has happened
	primed   bool           // Config.Prime was tried
	closed   bool           // Close has succeeded
	badItem  error          // why the item type cannot live in a pool
	final    Usage          // what the core had counted when the pool was closed
	leftover []Chunk
	due      time.Time // when the next idle chunk should go back; zero: none
	events   []Event   // to be sent once the lock is released
	loans    loans

	peakReserved  int64
	failures      int64
	softCrossings int64
}

// label returns the name of the pool. The lock may be held or not: pools are looked for by name while others of them are being opened.
func (e *Engine) label() string {
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
		e.parking, _ = core.(ParkingCore)
		e.shared, _ = core.(SharedCore)
		e.device = NoDevice
		e.chunks.sorts = config.Siblings || Debug
		e.chunks.ranks = config.Trim != nil && config.Trim.Growth
		e.limit, e.bound = config.Limit, config.Limit
		e.attach(Bound{Source: config.Source, Allocator: config.Allocator})
		e.calm.L, e.silent.L = &e.mu, &e.mu
		if !config.Locked {
			e.shown = new(shown)
			e.show()
		}
		enlist(e)
	}
	return e
}

// Lock takes the pool's lock.
func (e *Engine) Lock() {
	if !e.TryLock() {
		e.Contend()
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

// Waiting reports whether somebody waits for a block. Part of the fast path of frees, under the lock.
func (e *Engine) Waiting() bool { return e.waiting.Load() != 0 }

// lock and unlock go by what never changes: others may list a pool while it is given a description of its own.
func (e *Engine) lock() {
	if e.shown == nil {
		e.mu.Lock()
	}
}

func (e *Engine) unlock() {
	if e.shown == nil {
		e.mu.Unlock()
	}
}

// finish ends an operation: it gives back the marks that the operation dropped, lets others see what has become of a pool without a lock, releases the
// lock and then sends the events.
func (e *Engine) finish() {
	e.giveMarks()
	events := e.events
	e.events = nil
	e.showDue()
	e.unlock()
	send(events)
}

// outside runs f with the lock released, and takes it again also when f panics.
func (e *Engine) outside(f func()) {
	e.yields++
	e.unlock()
	defer e.lock()
	f()
}

// busy reports whether another caller is about to change what the pool may hold.
func (e *Engine) busy() bool {
	return e.asking > 0 || e.leaving > 0 || e.lowering || e.opening || e.guests > 0
}

// settle waits until growth, release or lowering of the limit by another caller has ended, or a block was freed. It reports false if
// there is nothing to wait for. Without a lock there are no others, only a source or hook that calls back into its own pool.
func (e *Engine) settle() bool { return e.settleFor(request{}) }

// settleFor is settle that ends with the request's context too.
func (e *Engine) settleFor(r request) bool {
	if !e.config.Locked || !e.busy() {
		return false
	}
	if r.ctx != nil {
		stop := context.AfterFunc(r.ctx, func() {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.calm.Broadcast()
		})
		defer stop()
	}
	e.parked++
	e.waiting.Add(1)
	e.calm.Wait()
	e.parked--
	e.waiting.Add(-1)
	return true
}

// settled wakes those in settle.
func (e *Engine) settled() {
	if e.parked > 0 {
		e.calm.Broadcast()
	}
}
