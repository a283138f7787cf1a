package runtime

import "github.com/poolgen/poolgen/runtime/internal/registry"

// Close gives everything back and ends the pool. While blocks are live it refuses with [ErrLive] and their number, releases
// nothing, and the pool goes on. Closing twice is no error. Those who wait for a block get [ErrClosed]. Chunks that the source does
// not take are reported, and tried again by another Close. forget sets the core to its zero value; a [SharedCore] sees to that itself, and it may be nil.
func (e *Engine) Close(reset func()) (err error) {
	if Debug {
		defer e.report(&err)
		e.flushQuarantine()
		defer e.endBypass()
	}
	e.lock()
	defer e.unlockAndNotify()
	if err := e.quiesce("close"); err != nil {
		return err
	}
	if e.core.shared != nil && !e.life.closed && !e.core.shared.Shut(false) {
		return e.liveError("close")
	}
	return e.shut(reset)
}

// CloseForce is Close that does not mind live blocks: their memory is gone, and using them afterwards is a fault.
func (e *Engine) CloseForce(reset func()) (err error) {
	if Debug {
		defer e.report(&err)
		e.flushQuarantine()
		defer e.endBypass()
	}
	e.lock()
	defer e.unlockAndNotify()
	e.quiesceForced()
	if Debug {
		e.leakEvent()
	}
	if e.core.shared != nil && !e.life.closed {
		e.core.shared.Shut(true)
	}
	return e.shut(reset)
}

// shut ends the pool unless it has ended, and gives back what there is.
func (e *Engine) shut(reset func()) error {
	if !e.life.closed {
		e.end()
		if e.core.shared == nil {
			reset()
		}
		e.wakeNext() // those who wait are told, one by the other
	}
	chunks := e.life.unreturned
	e.life.unreturned = nil
	if e.numbers() { // numbers are the user's
		for _, c := range chunks {
			e.subReserved(c.Size, 1)
		}
		registry.Unregister(e)
		return nil
	}
	if len(chunks) > 0 {
		if _, err := e.release(chunks, func(c Chunk) { e.life.unreturned = append(e.life.unreturned, c) }); err != nil {
			return e.newError("close", err)
		}
	}
	e.releaseFences()
	e.waitOthers() // others may be giving some back
	if err := e.unbind(); err != nil {
		return e.newError("close", err)
	}
	registry.Unregister(e)
	return nil
}

// end makes the pool a closed one whose chunks are left over.
func (e *Engine) end() {
	e.life.final = e.usage()
	if Debug {
		if !e.config.Uncounted {
			e.observed.debug.account(&e.life.final)
		}
		e.swept(true)
	}
	if Traced {
		e.traceSwept()
	}
	e.life.final.Occupied, e.life.final.LargestFree, e.life.final.Cached = e.life.final.LiveBytes, 0, 0
	e.life.opened, e.life.primed, e.life.closed = true, true, true
	e.life.unreturned = append(e.evictAll(), e.evictForeign()...)
	e.dropFences()
	e.streams.queues, e.streams.inFlight, e.streams.err = streamQueues{}, nil, nil
	e.streams.anyInFlight.Store(false)
	e.config.Budget.leave(e)
}

// Reset frees every block of the pool at once and keeps the chunks, save for what the trim policy gives back. forget empties the
// core's bookkeeping; only where blocks are not freed one by one does a [SharedCore] need that. In a pool whose blocks are freed one by one it refuses with [ErrLive] while any is in use.
func (e *Engine) Reset(reset func()) (err error) {
	if Debug {
		defer e.report(&err)
		e.flushQuarantine()
		defer e.endBypass()
	}
	e.lock()
	defer e.unlockAndNotify()
	switch {
	case e.life.closed:
		return e.newError("reset", ErrClosed)
	case !e.config.Uncounted && e.usage().Live > 0:
		return e.liveError("reset")
	}
	if e.core.stream != nil { // others must not come between
		if err := e.quiesce("reset"); err != nil {
			return err
		}
		if e.life.closed {
			return e.newError("reset", ErrClosed)
		}
	}
	if e.core.shared != nil && !e.config.Uncounted {
		if err := e.restart(); err != nil {
			return err
		}
		reset = func() {}
	}
	if Traced {
		e.traceSwept()
	}
	if Debug {
		e.swept(true)
		resetCore := reset
		reset = func() {
			resetCore()
			e.unguardAll()
		}
	}
	e.sweep(reset)
	e.freeAllDirect()
	e.wakeNext()
	return nil
}

// Release runs undo, which returns the blocks above a mark that come from chunks, and reports a mark that is not valid any more.
func (e *Engine) Release(undo func() bool) (err error) {
	if Debug {
		defer e.report(&err)
	}
	e.lock()
	defer e.unlockAndNotify()
	if e.life.closed {
		return e.newError("release", ErrClosed)
	}
	valid := false
	e.sweep(func() {
		valid = undo()
		if Debug && valid {
			e.swept(false)
		}
	})
	if !valid {
		err := e.newError("release", ErrForeign)
		err.Detail = "the mark is of another pool, or from before a Reset or a Release below it"
		return err
	}
	e.wakeNext()
	return nil
}

// Requested returns the allocator that the pool file asks for.
func (e *Engine) Requested() string { return e.config.Allocator }

// Effective returns the allocator in force and, where it is not the one asked for, why.
func (e *Engine) Effective() (allocator, reason string) {
	e.lock()
	defer e.unlockAndNotify()
	if err := e.bind(); err != nil {
		return "", err.Error()
	}
	return e.memory.Allocator, e.memory.Reason
}
