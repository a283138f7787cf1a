package runtime

// runLadder tries the rungs of the ladder in order once the pool could not grow. The lock is held on entry and on return.
func (e *Engine) runLadder(r request, err error) (Block, error) {
	wait := r.ctx != nil // somewhere, whatever the ladder says
	r.far = true
	for _, rung := range e.config.Ladder {
		if rung.Kind == RungError || r.over() {
			break
		}
		if !temporary(err) && (reason(err) != ErrTooLarge || !e.helpsTooLarge(rung)) {
			continue
		}
		var b Block
		if b, err = e.attempt(r, rung, err); err == nil {
			return b, nil
		}
		wait = wait && rung.Kind != RungWait
	}
	if wait && temporary(err) {
		return e.wait(r, err)
	}
	return Block{}, err
}

// helpsTooLarge reports whether a rung may help a request that no chunk can hold: it gets memory from elsewhere, or makes room for that.
func (e *Engine) helpsTooLarge(rung Rung) bool {
	switch rung.Kind {
	case RungPool, RungDriver:
		return true
	case RungPoll, RungTrim:
		return e.hasRungDriver()
	}
	return false
}

// temporary reports whether a failure may pass: when others free blocks or give chunks back.
func temporary(err error) bool {
	kind := reason(err)
	return kind == ErrLimit || kind == ErrOutOfMemory
}

// tryRung tries one rung. err is what has gone wrong so far, and what it returns when the rung is of no help; lent is what another pool
// answered.
func (e *Engine) tryRung(r request, rung Rung, err error) (b Block, refusal, failed error) {
	failed = err
	switch rung.Kind {
	case RungPoll:
		if e.recoverAll(r) {
			b, failed = e.allocOrGrow(r)
		} else if found, ok := e.allocNow(r); ok { // others may have retired what they asked about before
			return found, nil, nil
		}
	case RungTrim:
		if e.trimForRequest(r, err) {
			b, failed = e.allocOrGrow(r)
		}
	case RungWait:
		b, failed = e.wait(r, err)
	case RungPool:
		if b, refusal = e.borrow(r, rung.Pool); refusal == nil {
			failed = nil
		}
	case RungDriver:
		b, failed = e.allocDirect(r, err)
	}
	return b, refusal, failed
}

// trimForRequest is the rung trim: whatever is empty here goes back, and in other pools of the budget until a chunk
// fits. It reports whether anything did.
func (e *Engine) trimForRequest(r request, err error) bool {
	n, _ := e.trim(0)
	need, _ := e.chunkSizes(r)
	budget := e.config.Budget
	for _, other := range budget.others(e) {
		if reason(err) == ErrLimit && budget.available() >= need {
			break
		}
		e.unlocked(func() { n += other.trimForOther() })
	}
	return n > 0
}

// trimForOther gives empty chunks back for the sake of another pool of the budget. A pool without a lock cannot be
// touched from outside.
func (e *Engine) trimForOther() int64 {
	if !e.config.Locked {
		return 0
	}
	if Debug {
		e.flushQuarantine()
		defer e.endBypass()
	}
	e.lock()
	defer e.unlockAndNotify()
	if e.life.closed {
		return 0
	}
	_, _ = e.poll() // what streams have passed may be all that is left in a chunk
	n, _ := e.trim(0)
	return n
}
