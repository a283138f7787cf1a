package runtime

// Close gives everything back and ends the pool. While blocks are live it refuses with [ErrLive] and their number, releases
// nothing, and the pool goes on. Closing twice is no error. Those who wait for a block get [ErrClosed]. Chunks that the source does
// not take are reported, and tried again by another Close. forget sets the core to its zero value; a [SharedCore] sees to that itself, and it may be nil.
func (e *Engine) Close(forget func()) (err error) {
	if Debug {
		defer e.report(&err)
		e.rush()
		defer e.relax()
	}
	e.lock()
	defer e.finish()
	if err := e.quiet("close"); err != nil {
		return err
	}
	if e.shared != nil && !e.closed && !e.shared.End(false) {
		return e.liveError("close")
	}
	return e.shut(forget)
}

// CloseForce is Close that does not mind live blocks: their memory is gone, and using them afterwards is a fault.
func (e *Engine) CloseForce(forget func()) (err error) {
	if Debug {
		defer e.report(&err)
		e.rush()
		defer e.relax()
	}
	e.lock()
	defer e.finish()
	e.quieten()
	if Debug {
		e.leakEvent()
	}
	if e.shared != nil && !e.closed {
		e.shared.End(true)
	}
	return e.shut(forget)
}

// shut ends the pool unless it has ended, and gives back what there is.
func (e *Engine) shut(forget func()) error {
	if !e.closed {
		e.end()
		if e.shared == nil {
			forget()
		}
		e.advance() // those who wait are told, one by the other
	}
	chunks := e.leftover
	e.leftover = nil
	if e.numbers() { // numbers are the user's
		for _, c := range chunks {
			e.depart(c.Size, 1)
		}
		strike(e)
		return nil
	}
	if len(chunks) > 0 {
		if _, err := e.handBack(chunks, func(c Chunk) { e.leftover = append(e.leftover, c) }); err != nil {
			return e.newError("close", err)
		}
	}
	e.giveMarks()
	e.still() // others may be giving some back
	if err := e.unbind(); err != nil {
		return e.newError("close", err)
	}
	strike(e)
	return nil
}

// end makes the pool a closed one whose chunks are left over.
func (e *Engine) end() {
	e.final = e.usage()
	if Debug {
		if !e.config.Uncounted {
			e.watch.account(&e.final)
		}
		e.swept(true)
	}
	e.final.Occupied, e.final.LargestFree, e.final.Cached = e.final.LiveBytes, 0, 0
	e.opened, e.primed, e.closed = true, true, true
	e.leftover = append(e.evictAll(), e.evictStraight()...)
	e.dropMarks()
	e.lanes, e.hot, e.trouble = Lanes{}, nil, nil
	e.warm.Store(false)
	e.config.Budget.leave(e)
}

// Reset frees every block of the pool at once and keeps the chunks, save for what the trim policy gives back. forget empties the
// core's bookkeeping; only where blocks are not freed one by one does a [SharedCore] need that. In a pool whose blocks are freed one by one it refuses with [ErrLive] while any is in use.
func (e *Engine) Reset(forget func()) (err error) {
	if Debug {
		defer e.report(&err)
		e.rush()
		defer e.relax()
	}
	e.lock()
	defer e.finish()
	switch {
	case e.closed:
		return e.newError("reset", ErrClosed)
	case !e.config.Uncounted && e.usage().Live > 0:
		return e.liveError("reset")
	}
	if e.parking != nil { // others must not come between
		if err := e.quiet("reset"); err != nil {
			return err
		}
		if e.closed {
			return e.newError("reset", ErrClosed)
		}
	}
	if e.shared != nil && !e.config.Uncounted {
		if err := e.restart(); err != nil {
			return err
		}
		forget = func() {}
	}
	if Debug {
		e.swept(true)
		reset := forget
		forget = func() {
			reset()
			e.unsettled()
		}
	}
	e.sweep(forget)
	e.returnAll()
	e.advance()
	return nil
}

// Release runs undo, which returns the blocks above a mark that come from chunks, and reports a mark that is not valid any more.
func (e *Engine) Release(undo func() bool) (err error) {
	if Debug {
		defer e.report(&err)
	}
	e.lock()
	defer e.finish()
	if e.closed {
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
	e.advance()
	return nil
}

// Requested returns the allocator that the pool file asks for.
func (e *Engine) Requested() string { return e.config.Allocator }

// Effective returns the allocator in force and, where it is not the one asked for, why.
func (e *Engine) Effective() (allocator, reason string) {
	e.lock()
	defer e.finish()
	if err := e.bind(); err != nil {
		return "", err.Error()
	}
	return e.memory.Allocator, e.memory.Reason
}
