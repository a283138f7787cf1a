package poolimpl

import (
	"context"
	"math"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Block is a block that the slow path found: Ptr in memory that Go code can address, Addr everywhere. Origin is its chunk's and Offset the
// distance from the chunk's start, where the block comes from the pool's own chunks. Items is how many items the block was asked for. The zero Block is none.
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
	ctx    context.Context // nil: as the ladder says
	stream *Stream         // the block's first use comes behind what this stream was given; nil: no work may be pending on it

	tried *[]poolrt.Attempt // of the ladder

	prime    bool // the pool reserves what it starts with
	far      bool // of a shared core, all is searched, and not only what is at hand for the caller's processor
	refused  bool // the source has not taken back what was to make way for growth
	thorough bool // any number of blocks in flight is put aside in search of one that is not
}

// over reports whether the caller has given up.
func (r request) over() bool { return r.ctx != nil && r.ctx.Err() != nil }

// Alloc finds a block of n items of so many bytes each when the fast path could not: it grows the pool, then runs the ladder. In programs built with the tag
// pooldebug or pooltrace there is no fast path, and Alloc looks at the chunks that are there first. A count that no block can have is refused. The
// caller holds no lock.
func (e *Engine) Alloc(n int, item, align uint64) (Block, error) {
	return e.allocItems(n, item, request{align: align})
}

// AllocContext is Alloc that waits for a free until ctx ends: on the rung wait, or after the ladder if it has none. A
// block that needs no waiting is returned even if ctx has ended. Where no free could help it does not wait: in a pool without a lock,
// where nobody else could free a block meanwhile, and when no block is live while it is the source that has no memory. A call of the
// source, once begun, is not cut short.
func (e *Engine) AllocContext(ctx context.Context, n int, item uint64) (Block, error) {
	return e.allocItems(n, item, request{align: 1, ctx: ctx})
}

// AllocOn is Alloc for use on a stream: a block that was freed on the same stream will do, whatever of its work is left; for what was
// freed on others, the stream is made to wait.
func (e *Engine) AllocOn(s Stream, n int, item uint64) (Block, error) {
	return e.allocItems(n, item, request{align: 1, stream: &s})
}

// TryAlloc returns a block of the chunks that are there. It does not grow the pool, wait or fail.
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
	b, ok := e.take(bytes, 1)
	if !ok && Debug {
		e.observed.debug.bypassQuarantine(e)
		defer e.observed.debug.endBypass()
		b, ok = e.take(bytes, 1)
	}
	if !ok || e.handOut(call, b, bytes, nil) != nil {
		return Block{}, false
	}
	return Block{b, n}, true
}

// countable reports whether a block can have n items of so many bytes each: at least one, and their bytes fit an int.
func countable(n int, item uint64) bool { return n > 0 && item <= math.MaxInt/uint64(n) }

// allocItems serves a request for n items, or refuses a count that no block can have.
func (e *Engine) allocItems(n int, item uint64, r request) (Block, error) {
	if !countable(n, item) {
		return Block{}, e.Refuse(badCount, n)
	}
	r.bytes = uint64(n) * item
	b, err := e.alloc(r)
	if err != nil {
		return Block{}, err
	}
	return Block{b, n}, nil
}

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
	if err == nil {
		err = e.handOut(call, b, r.bytes, r.stream)
	}
	if err != nil {
		return foundBlock{}, err
	}
	return b, nil
}

// handOut clears a block that was found, if the pool clears blocks, and observes it. If it cannot be cleared it goes back.
func (e *Engine) handOut(call Call, b foundBlock, bytes uint64, s *Stream) error {
	if e.config.ZeroAlways || e.config.ZeroDevice {
		if err := e.clear(b, bytes, s); err != nil {
			return err
		}
	}
	e.observed.alloc(e, call, b, bytes, s)
	return nil
}

// find finds a block. Where there is no fast path, because blocks are observed, it begins with that.
func (e *Engine) find(r *request) (foundBlock, error) {
	if Observed && r.stream == nil {
		if b, ok := e.take(r.bytes, r.align); ok {
			return b, nil
		}
	}
	if Debug {
		e.observed.debug.bypassQuarantine(e)
		defer e.observed.debug.endBypass()
	}
	return e.allocSlow(*r)
}

// take takes a block of the chunks that are there, as the fast path of a pool does.
func (e *Engine) take(bytes, align uint64) (b foundBlock, ok bool) {
	e.lock()
	if len(e.streams.inFlight) == 0 {
		b, ok = e.allocCore(bytes, align, false)
	}
	e.unlock()
	return b, ok
}

// allocSlow grows the pool and runs the ladder as needed.
func (e *Engine) allocSlow(r request) (foundBlock, error) {
	e.lock()
	defer e.unlockAndNotify()
	err := e.openLazily()
	var b foundBlock
	if err == nil {
		e.expire()
		b, err = e.allocOrGrow(r)
	}
	if err != nil && temporary(err) && len(e.streams.inFlight) > 0 {
		r.thorough = true
		b, err = e.allocOrGrow(r)
		r.thorough = false // not again with each try of a wait
	}
	if err == nil {
		return b, nil
	}
	var tried []poolrt.Attempt
	r.tried = &tried
	if b, err = e.runLadder(r, err); err == nil {
		return b, nil
	}
	return foundBlock{}, e.fail(r, err)
}

// allocOrGrow takes a block, growing the pool as long as that helps. Where it does not, it waits for what others have begun to take or
// give back, and makes use of what is cached.
func (e *Engine) allocOrGrow(r request) (foundBlock, error) {
	flushed := false
	for {
		if b, ok := e.allocNow(r); ok {
			e.wakeNext()
			return b, nil
		}
		unlocks := e.unlocks
		if err := e.check(r); err != nil {
			return foundBlock{}, err
		}
		if e.recover(r) || e.core.shared != nil && !r.far && e.core.shared.Steal() {
			continue
		}
		refused, err := e.grow(r)
		r.refused = r.refused || refused
		switch {
		case err == nil:
			r.far = false
			r.thorough = true // any number of blocks in flight may come before the new chunk
		case e.config.Magazines && !r.over() && e.waitIdle(r):
		case e.core.shared != nil && !r.far:
			r.far = true
		case !r.over() && e.waitIdle(r):
		case (!flushed || len(e.streams.inFlight) == 0) && e.core.Flush():
			flushed = true // blocks in flight that were only looked at are cached again: no reason to go on for ever
		default:
			if e.unlocks != unlocks && !e.life.closed { // a block may have been freed while the source was asked
				if b, ok := e.allocNow(r); ok {
					return b, nil
				}
			}
			return foundBlock{}, err
		}
	}
}

// allocNow takes a block that was freed on the request's stream, or from the chunks that are there. It may release the lock while
// ranges are in flight.
func (e *Engine) allocNow(r request) (foundBlock, bool) {
	if slot, off, ok := e.streams.reuse(e.core.stream, r); ok {
		return e.chunks.block(slot, off, e.observed.debug.apart()), true
	}
	if len(e.streams.inFlight) > 0 {
		return e.allocInFlight(r)
	}
	return e.allocCore(r.bytes, r.align, r.far)
}

// allocCore takes a block from the chunks that are there; of a shared core, far says that all is searched.
func (e *Engine) allocCore(bytes, align uint64, far bool) (foundBlock, bool) {
	var slot uint32
	var off uint64
	var ok bool
	if e.core.shared != nil && far {
		slot, off, ok = e.core.shared.AllocAny(bytes, align)
	} else {
		slot, off, ok = e.core.Alloc(bytes, align)
	}
	if !ok {
		return foundBlock{}, false
	}
	return e.chunks.block(slot, off, e.observed.debug.apart()), true
}

// check refuses what no waiting and growing could serve.
func (e *Engine) check(r request) error {
	switch {
	case e.life.closed:
		return poolrt.ErrClosed
	case e.life.badItem != nil:
		return e.life.badItem
	case e.config.Imported:
		return errNotAllocated
	case e.memory.need(e.core.Core, r) > e.config.largest(e.limits.limit, e.memory.unit):
		return poolrt.ErrTooLarge
	}
	return nil
}
