package poolimpl

import (
	"errors"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// A free reaches the engine in one of these ways. Each ends with follow, which acts on the verdict of the core, and wakes waiters if memory became free.
//
//	FreeSlow, FreeOnSlow    after a free of the fast path that left something to do
//	FreeOnNew               for a stream that the fast path of a pool with a SharedCore does not know
//	Free, FreeOn, FreeLife  in observed builds, in place of the fast path; then freeBlock, at once or when the block leaves the quarantine
//	freeBlock               calls the core as the fast path does; also for a block that could not be cleared
//	Undo, undo              the block was found but not handed out, so it counts neither as allocated nor as freed

// Free frees the block at a place, which was requested with so many bytes. Pools whose fast path frees blocks call Free only in programs built with the tag
// pooldebug or pooltrace. Blocks borrowed from a pool are returned through its Free. The caller does not hold e.mu.
func (e *Engine) Free(place, bytes uint64) error {
	return e.observed.free(e, Call{}, place, bytes, nil, nil)
}

// errStale is the error of a free by a handle that does not fit the block at the place.
var errStale = errors.New("the handle is stale")

// FreeLife is Free for the holder of a handle, in programs built with the tag pooldebug or pooltrace. fits reports whether the handle fits the block at the place.
// FreeLife calls it in one step with the free, so it does not free a later block there. If the handle does not fit, FreeLife changes nothing and known is
// false. The caller does not hold e.mu.
func (e *Engine) FreeLife(place, bytes uint64, fits func() bool) (known bool, err error) {
	err = e.observed.free(e, Call{}, place, bytes, nil, fits)
	return err != errStale, err
}

// FreeOn is Free for a block that becomes free for all when the stream has completed the work queued so far. The caller does not hold e.mu.
func (e *Engine) FreeOn(s Stream, place, bytes uint64) error {
	return e.observed.free(e, Call{}, place, bytes, &s, nil)
}

// freeBlock frees a block in the core, as the fast path of a pool does: at once or, with a stream, when the stream has completed the work queued so far. If fits
// is not nil, freeBlock calls it with e.mu held, and frees nothing unless it returns true. The caller does not hold e.mu.
func (e *Engine) freeBlock(addr, bytes uint64, s *Stream, fits func() bool) error {
	if e.core.driver != nil { // such a pool has no handles
		if s == nil {
			return e.core.driver.free(e, addr, bytes, Stream{}, false)
		}
		return e.core.driver.free(e, addr, bytes, *s, true)
	}
	if known, err := e.freeGuarded(addr, bytes); known {
		return err
	}
	var slot uint32
	var v Verdict
	due := false
	e.lock()
	if fits != nil && !fits() {
		e.unlock()
		return errStale
	}
	if s == nil {
		slot, v = e.core.Free(addr, bytes)
	} else {
		v, due = e.order.deferBlock(*s, addr, bytes)
	}
	if v == Freed && !due && !e.HasWaiters() {
		e.unlock()
		return nil
	}
	defer e.unlockAndNotify()
	defer e.wakeNext()
	if due {
		e.order.reclaimDue(*s)
	}
	return e.follow(slot, v, addr, bytes, s)
}

// freeGuarded frees a block if it is guarded, or refuses the free of what is a part of one. known is false for any other address. The caller does not hold e.mu.
func (e *Engine) freeGuarded(addr, bytes uint64) (known bool, err error) {
	if s := e.generated.Sampling; s != nil {
		return s.freeGuarded(e, addr, bytes)
	}
	return false, nil
}

// FreeSlow follows up a free for which the core's verdict was not [Freed], or after which HasWaiters is true although the core takes no lock. slot is what
// the core returned. The caller does not hold e.mu.
func (e *Engine) FreeSlow(slot uint32, v Verdict, addr, bytes uint64) error {
	if v == Foreign {
		if known, err := e.freeGuarded(addr, bytes); known {
			return err
		}
	}
	e.lock()
	defer e.unlockAndNotify()
	e.wakeNext()
	return e.follow(slot, v, addr, bytes, nil)
}

// FreeOnSlow follows up a free on a stream for which the core's verdict was not [Freed], for which Defer returned true or, in a pool with a [SharedCore], after
// which HasWaiters is true. It does not report errors of the driver: the blocks stay pending until a later fence covers them. The caller does not hold e.mu.
func (e *Engine) FreeOnSlow(s Stream, v Verdict, addr, bytes uint64) error {
	if v == Freed && e.core.shared != nil {
		onStreams{e}.reclaimDueUnlocked(s)
		return nil
	}
	e.lock()
	defer e.unlockAndNotify()
	if v == Freed {
		e.order.reclaimDue(s)
	}
	return e.follow(0, v, addr, bytes, &s)
}

// FreeOnNew frees a block on a stream for which LockQueue has found no queue. The caller does not hold e.mu.
func (e *Engine) FreeOnNew(s Stream, addr, bytes uint64) error {
	return e.freeBlock(addr, bytes, &s, nil)
}

// Generation returns what distinguishes the block at a place from earlier and later blocks there: nothing without the tag pooldebug.
func (o *observed) Generation(place uint64) Generation { return o.debug.generation(place) }

// Undo takes back a block that was not handed out: it was found, but a stream may still be using it. The caller does not hold e.mu.
func (e *Engine) Undo(addr, bytes uint64) { _ = e.takeBack(addr, bytes, nil) }

// takeBack takes back a block that was not handed out: at once or, if it was found for a stream, when the stream has completed the work queued so far, which
// may use the block. The caller does not hold e.mu.
func (e *Engine) takeBack(addr, bytes uint64, s *Stream) error {
	e.lock()
	defer e.unlockAndNotify()
	defer e.wakeNext()
	return e.undoOn(addr, bytes, s)
}

// undoOn is takeBack for a caller that holds e.mu.
func (e *Engine) undoOn(addr, bytes uint64, s *Stream) error {
	e.unsample(addr, bytes, s)
	if e.core.driver != nil {
		return e.core.driver.takeBack(e, addr, bytes, s)
	}
	if s == nil {
		return e.undo(addr, bytes)
	}
	v, _ := e.order.deferBlock(*s, addr, bytes)
	return e.follow(0, v, addr, bytes, s)
}

// undo is Undo for a caller that holds e.mu.
func (e *Engine) undo(addr, bytes uint64) error {
	if s := e.generated.Sampling; s != nil {
		addr = s.withdraw(e, addr)
	}
	slot, v := e.core.Undo(addr, bytes)
	return e.follow(slot, v, addr, bytes, nil)
}

// follow acts on a verdict of the core: it follows the trim policy if a chunk became empty, returns a foreign block, or refuses the free.
func (e *Engine) follow(slot uint32, v Verdict, addr, bytes uint64, s *Stream) error {
	switch v {
	case Freed:
		return nil
	case Emptied:
		e.memory.layout.emptied(vacancy{slot, addr, bytes})
		return nil
	}
	// A core may remember the address of a block whose memory has gone: by now, the address may be that of a
	// graph or of a block from elsewhere.
	switch {
	case e.graphs.of(addr) != nil:
		return e.refuseFree(poolrt.ErrLive, addr, " is owned by a graph")
	case v == Double && !e.foreign.has(addr):
		return e.refuseFree(poolrt.ErrDoubleFree, addr, "")
	}
	err := e.returnForeign(addr, bytes, s)
	switch {
	case err == nil:
		return nil
	case err == poolrt.ErrForeign && !e.life.closed:
		detail := ""
		if p, ok := e.chunks.pieceAt(e.core.Core, addr); ok {
			detail = e.config.otherLength(p, bytes)
		}
		return e.refuseFree(err, addr, detail)
	}
	return e.refuseFree(err, addr, "")
}

// refuseFree returns the error of a free, with what is known of the address.
func (e *Engine) refuseFree(err error, addr uint64, detail string) error {
	if e.life.closed {
		err = poolrt.ErrClosed
	}
	if Debug {
		addr *= e.observed.debug.apart()
		if err == poolrt.ErrForeign && e.observed.debug.wasFreed(addr) {
			err = poolrt.ErrDoubleFree
		}
	}
	refused := e.newError("free", err)
	refused.Detail = e.config.called(addr) + detail
	if Debug {
		refused.Detail += e.observed.debug.explain(e, addr)
	}
	return refused
}
