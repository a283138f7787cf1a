package poolimpl

import (
	"context"
	"errors"
	"math"
	"math/bits"

	poolrt "github.com/poolgen/poolgen/runtime"
)

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
	of := e.sample(bytes, true)
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
	of := e.sample(r.bytes, true)
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

// take takes a block of the existing chunks, as the fast path of a pool does, or with request.far any, and clears it. The caller does not hold e.mu.
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

// searchFull searches a full pool for the request. If it finds no block, it notes that in the request, and u is what the core has counted. A caller that finds
// others waiting takes the lock at once. The caller does not hold e.mu.
func (e *Engine) searchFull(r *request) (b foundBlock, u Usage, ok bool) {
	if Observed || !e.fullness.full.Load() || e.HasWaiters() {
		return foundBlock{}, Usage{}, false
	}
	if e.generated.ZeroAlways {
		if !e.BeginClear() {
			return foundBlock{}, Usage{}, false
		}
		defer e.EndClear()
	}
	moves := e.fullness.moves.Load()
	slot, off, u, ok := e.core.searched.AllocOrCount(r.bytes, r.align)
	if ok {
		b = e.chunks.block(slot, off, e.observed.debug.apart())
		if e.generated.ZeroAlways {
			e.Clear(b.Ptr, r.bytes)
		}
		return b, u, true
	}
	r.short = shortage{known: true, moves: moves}
	return foundBlock{}, u, false
}

// clear clears a block that was just taken, if the pool clears blocks: in the order of the stream that uses
// it first or, without a stream, at once. If that fails, the block goes back. The lock is released meanwhile.
func (e *Engine) clear(b foundBlock, r request) error {
	switch {
	case e.config.ZeroAlways:
		f := e.foreign.blocks[b.Addr]
		if direct := f.bytes != 0 && f.chunk.Size != 0; !direct || !e.memory.Clean {
			e.clearing.clearLocked(e.clearing.unclear(b.Ptr, r.bytes))
		}
		return nil
	case !e.config.ZeroDevice || r.unclear:
		return nil
	}
	err := e.clearEach(1, r.bytes, r.stream, func(int) uint64 { return b.Addr })
	if err == nil {
		return nil
	}
	defer e.wakeNext()
	back := e.undoOn(b.Addr, r.bytes, r.stream)
	return Join(e.fail(request{bytes: r.bytes}, err, Usage{}), back)
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
	if err = r.failed; err == nil || err == poolrt.ErrLimit || e.budget.Budget().Mourns() { // else the driver has just failed
		b, err = e.allocOrGrow(r)
	}
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
