package poolimpl

import (
	"context"
	"errors"
	"math"
	"math/bits"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Block is a block that the slow path found. Ptr is its address if Go code can address the memory, Addr its address as a number. If the block lies in a chunk
// of the pool, Origin is the Origin of the chunk, and Offset the distance from its start. Items is the number of items that were requested. The zero Block is
// none.
type Block struct {
	foundBlock
	Items int
}

// foundBlock is a Block within the engine. The compiler passes a struct of four words in registers; a fifth makes an allocation of a traced build take twice as
// long.
type foundBlock struct {
	Ptr    unsafe.Pointer
	Addr   uint64
	Origin uint64
	Offset uint64
}

// request is an allocation on its way through the slow path.
type request struct {
	bytes  uint64
	align  uint64
	ctx    context.Context // nil: the ladder decides how long to wait
	wait   *waitFuncs      // set with ctx: waits
	stream *Stream         // the first use of the block comes after all work queued on this stream; nil: no work may be pending on the block

	failure *failure // nil: the ladder was not tried

	failed   error    // the request has failed already, before the lock was taken: ordering driver
	short    shortage // what searchFull has found
	prime    bool     // the request is for Config.Prime
	sampled  bool     // a sample is due, so the request has left the fast path although a block may be free
	far      bool     // search all of a shared core, not only what is close to the caller's processor
	spares   bool     // with far: the core dissolves no slab, as the pool may still grow
	thorough bool     // search through any number of blocks in flight for one that is not
	seek     int      // the next step of recover

	// What growth has done for the request so far, see note.
	uncached    bool // the core has freed what it had cached
	waits       bool // the stream may be made to wait for others
	grew        bool // memory has come
	moved       bool // pages have moved, and no memory has come since
	gaveBack    bool // memory went back, and none has come since
	refused     bool // the source refused to take memory back
	gaveAllBack bool // the source has no more than the pool has returned
	exact       bool // nor as much as usual: growth asks for what the request needs
	unclear     bool // the caller has the device clear the block, with others
}

// over reports whether the caller's context has ended.
func (r request) over() bool { return r.ctx != nil && r.ctx.Err() != nil }

// Alloc finds a block of n items of item bytes each when the fast path found none: it grows the pool, then runs the ladder. In programs built with the tag
// pooldebug or pooltrace there is no fast path, and Alloc tries the existing chunks first. It refuses a count that no block can have. The caller does not
// hold e.mu.
func (e *Engine) Alloc(n int, item, align uint64) (Block, error) {
	return e.allocItems(n, item, request{align: align})
}

// AllocContext is Alloc, but waits for a free until ctx ends: on the rung wait, or after the ladder if the ladder has no such rung. A block that needs no
// waiting is returned even if ctx has ended. AllocContext does not wait where no free could help: in a pool without a lock, since nobody else could free a
// block meanwhile, and when the source is out of memory while no block is live. A call of the source that has begun is not interrupted.
func (e *Engine) AllocContext(ctx context.Context, n int, item uint64) (Block, error) {
	return e.allocItems(n, item, request{align: 1, ctx: ctx, wait: &waits})
}

// AllocOn is Alloc for use on a stream. A block that was freed on the same stream can be used whatever work of the stream is still pending on it. For a block
// that was freed on another stream, the driver makes the stream wait.
func (e *Engine) AllocOn(s Stream, n int, item, align uint64) (Block, error) {
	return e.allocItems(n, item, request{align: align, stream: &s})
}

// AllocContextOn is AllocContext for use on a stream, as AllocOn is Alloc.
func (e *Engine) AllocContextOn(ctx context.Context, s Stream, n int, item uint64) (Block, error) {
	return e.allocItems(n, item, request{align: 1, ctx: ctx, wait: &waits, stream: &s})
}

// TryAlloc returns a block of the existing chunks. It does not grow the pool, wait, or count a failure. The fast path of a pool with a [SharedCore] may have searched
// only what is close to the caller's processor; TryAlloc searches all.
// A chunk that is being returned is not among them, even if the source then refuses it.
func (e *Engine) TryAlloc(n int, item uint64) (Block, bool) {
	if !countable(n, item) {
		return Block{}, false
	}
	call, err := e.observed.debug.beginUse(e, "alloc")
	if err != nil {
		return Block{}, false
	}
	defer e.observed.debug.endUse(e)
	bytes := uint64(n) * item
	of := e.sample(bytes)
	r := request{bytes: bytes, align: 1, far: e.core.searched != nil, spares: !e.fullness.full.Load()}
	b, err := e.take(r)
	if err == errNoBlock && Debug {
		e.observed.debug.bypassQuarantine(e)
		defer e.observed.debug.endBypass()
		b, err = e.take(r)
	}
	if err != nil {
		return Block{}, false
	}
	e.observed.alloc(e, call, b, bytes, nil)
	return Block{e.treat(of, b, r.bytes, r.align), n}, true
}

// countable reports whether a block can have n items of item bytes each: at least one, and their bytes fit an int.
func countable(n int, item uint64) bool {
	high, bytes := bits.Mul64(uint64(n), item)
	return n > 0 && high == 0 && bytes <= math.MaxInt
}

// allocItems serves a request for n items, and refuses a count that no block can have. The caller does not hold e.mu.
func (e *Engine) allocItems(n int, item uint64, r request) (Block, error) {
	if !countable(n, item) {
		return Block{}, e.Refuse(badCount, n)
	}
	r.bytes = uint64(n) * item
	of := e.sample(r.bytes)
	r.sampled = of.any()
	b, err := e.alloc(r)
	if err != nil {
		return Block{}, err
	}
	return Block{e.treat(of, b, r.bytes, r.align), n}, nil
}

// alloc finds a block and hands it out. The caller does not hold e.mu.
func (e *Engine) alloc(r request) (foundBlock, error) {
	var call Call
	if Debug {
		var err error
		if call, err = e.observed.debug.beginUse(e, "alloc"); err != nil {
			return foundBlock{}, err
		}
		defer e.observed.debug.endUse(e)
	}
	b, err := e.find(&r)
	if err != nil {
		return foundBlock{}, err
	}
	e.observed.alloc(e, call, b, r.bytes, r.stream)
	return b, nil
}

// find finds a block. If blocks are observed there is no fast path, and if one is sampled the request has left it, so find tries the existing chunks first. The
// caller does not hold e.mu.
func (e *Engine) find(r *request) (foundBlock, error) {
	if (Observed || r.sampled) && r.stream == nil {
		if b, err := e.take(request{bytes: r.bytes, align: r.align, unclear: r.unclear}); err != errNoBlock {
			return b, err
		}
	}
	if Debug {
		e.observed.debug.bypassQuarantine(e)
		defer e.observed.debug.endBypass()
	}
	return e.allocSlow(*r)
}

// errNoBlock is the error of take if no block is free.
var errNoBlock = errors.New("no block is free")

// take takes a block of the existing chunks, as the fast path of a pool does, or with request.far any, and
// clears it. The caller does not hold e.mu.
func (e *Engine) take(r request) (b foundBlock, err error) {
	e.lock()
	defer e.unlockAndNotify()
	if e.InFlight() {
		return b, errNoBlock
	}
	b, ok := e.allocCore(r)
	if !ok {
		return b, errNoBlock
	}
	return b, e.clear(b, r)
}

// allocSlow grows the pool and runs the ladder as needed. If an event hook panics, the block goes back. The caller does not hold e.mu.
func (e *Engine) allocSlow(r request) (foundBlock, error) {
	b, u, ok := e.searchFull(&r)
	if ok {
		return b, nil
	}
	k := keeper{err: errPanic}
	defer k.end(e, r)
	var late remedy
	func() {
		e.lock()
		defer e.unlockAndNotify()
		if k.block, late, k.err = e.allocLadder(r, u); k.err == nil {
			k.err = e.clear(k.block, r)
		}
		if len(e.figures.events) > 0 { // hooks get the error when the lock is released
			late = e.explain(late)
		}
	}()
	late.write()
	return k.keep()
}

// keeper has the block of an allocation from the time when it is taken until the allocation returns it.
type keeper struct {
	block foundBlock
	err   error // nil: the block is taken
	kept  bool
}

// keep returns the block to the caller of the allocation.
func (k *keeper) keep() (foundBlock, error) {
	k.kept = true
	return k.block, k.err
}

// end takes the block back if it was taken and not returned. The caller does not hold e.mu.
func (k *keeper) end(e *Engine, r request) {
	if !k.kept && k.err == nil {
		_ = e.takeBack(k.block.Addr, r.bytes, r.stream)
	}
}

// allocLadder grows the pool and runs the ladder as needed. If searchFull found no block, u is what it has counted. The remedies of an error are still to be written.
func (e *Engine) allocLadder(r request, u Usage) (b foundBlock, late remedy, err error) {
	r.short.unlocks = e.unlocks
	if err := e.openLazily(); err != nil { // no rung helps a pool that is not open
		r.failure = new(failure)
		p := e.fail(r, err, u)
		return foundBlock{}, e.remedyFor(r, p), p
	}
	e.expire()
	_, _ = e.retryUnreturned()
	b, err = e.allocFirst(r)
	if err != nil && temporary(err) && len(e.streams.inFlight) > 0 {
		r.thorough, r.waits = true, r.stream != nil
		b, err = e.allocOrGrow(r)
		r.thorough = false // once is enough: not again at each attempt of a wait
	}
	if err != nil && e.budget != nil && reason(err) == poolrt.ErrLimit {
		b, err = e.allocReclaiming(r, err)
	}
	if err == nil {
		return b, remedy{}, nil
	}
	r.failure = new(failure)
	if b, err = e.runLadder(r, err); err == nil {
		return b, remedy{}, nil
	}
	p := e.fail(r, err, u)
	return foundBlock{}, e.remedyFor(r, p), p
}

// allocFirst is the first attempt of an allocation. The driver is not asked again if it has just failed, unless it may have memory in a moment.
func (e *Engine) allocFirst(r request) (foundBlock, error) {
	if r.failed != nil && r.failed != poolrt.ErrLimit && !e.budget.Budget().Mourns() {
		return foundBlock{}, r.failed
	}
	return e.allocOrGrow(r)
}

// allocOrGrow takes a block, growing the pool as long as that helps. When the pool cannot grow, allocOrGrow waits for other callers that are obtaining or
// returning memory, then flushes what the core has cached.
func (e *Engine) allocOrGrow(r request) (foundBlock, error) {
	if e.core.driver != nil {
		return e.core.driver.allocOrGrow(e, r)
	}
	flushed := false
	brought := false // a chunk has come to the caller's processor; if Alloc finds no block all the same, the caller has moved, or other callers were faster
	r.far = r.far || e.lacks(r)
	for {
		if b, ok := e.allocNow(r); ok {
			e.wakeNext()
			return b, nil
		}
		unlocks := e.unlocks
		if err := e.check(r); err != nil {
			return foundBlock{}, err
		}
		switch {
		case e.recover(&r):
			continue
		case e.core.shared == nil || r.far:
		case brought:
			r.far, r.spares, brought = true, true, false
			continue
		case e.core.shared.Steal():
			brought = true
			e.fullness.noteMove()
			continue
		}
		did, err := e.grow(r)
		r.note(did)
		switch {
		case err == nil:
			r.far, brought = false, true
			r.thorough = true // any number of blocks in flight may precede the new memory
		case e.config.Magazines && !r.over() && e.waitIdle(r):
		case e.core.shared != nil && !r.far:
			r.far, r.spares = true, e.activity.busy(&e.limits)
		case !r.over() && e.waitIdle(r):
		case r.spares: // the pool cannot grow
			r.spares = false
		case e.lacks(r): // flushed, too
			return foundBlock{}, err
		case (!flushed || len(e.streams.inFlight) == 0) && e.core.Flush():
			flushed = true // at most once while ranges are in flight: blocks that were put aside return to the cache, so Flush would find some each time
		default:
			if e.unlocks != unlocks && !e.life.closed { // a block may have been freed while the lock was released
				if b, ok := e.allocNow(r); ok {
					return b, nil
				}
			}
			return foundBlock{}, err
		}
	}
}

// allocNow takes a block that was freed on the request's stream, or one of the existing chunks. While ranges are in flight it may release the lock.
func (e *Engine) allocNow(r request) (foundBlock, bool) {
	if e.streams.resting || e.lacks(r) {
		return foundBlock{}, false
	}
	if r.stream != nil && e.order != nil {
		if slot, off, ok := e.order.reuse(r); ok {
			return e.chunks.block(slot, off, e.observed.debug.apart()), true
		}
	}
	if len(e.streams.inFlight) > 0 {
		return e.order.allocInFlight(r)
	}
	return e.allocCore(r)
}

// allocCore takes a block of the existing chunks. A request that is far searches all of a shared core.
func (e *Engine) allocCore(r request) (foundBlock, bool) {
	var slot uint32
	var off uint64
	var ok bool
	if e.core.spread != nil && r.stream != nil && r.align == 1 {
		slot, off, ok = e.core.spread.AllocOn(r.stream.ID, r.bytes)
	}
	switch {
	case ok:
	case e.core.shared == nil || !r.far:
		slot, off, ok = e.core.Alloc(r.bytes, r.align)
	case r.spares && e.core.slabs != nil:
		slot, off, ok = e.core.slabs.AllocSparing(r.bytes, r.align)
	default:
		slot, off, ok = e.core.shared.AllocAny(r.bytes, r.align)
	}
	if !ok {
		return foundBlock{}, false
	}
	return e.chunks.block(slot, off, e.observed.debug.apart()), true
}
