package runtime

// climb tries the rungs of the ladder in order once the pool could not grow. The lock is held on entry and on return.
func (e *Engine) climb(r request, err error) (Block, error) {
	wait := r.ctx != nil // somewhere, whatever the ladder says
	r.far = true
	for _, rung := range e.config.Ladder {
		if rung.Kind == RungError || r.over() {
			break
		}
		if !passing(err) && (reason(err) != ErrTooLarge || !e.helpsTooLarge(rung)) {
			continue
		}
		var b Block
		if b, err = e.attempt(r, rung, err); err == nil {
			return b, nil
		}
		wait = wait && rung.Kind != RungWait
	}
	if wait && passing(err) {
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
		return e.drives()
	}
	return false
}

// passing reports whether a failure may pass: when others free blocks or give chunks back.
func passing(err error) bool {
	kind := reason(err)
	return kind == ErrLimit || kind == ErrOutOfMemory
}

// step tries one rung. err is what has gone wrong so far, and what it returns when the rung is of no help; lent is what another pool
// answered.
func (e *Engine) step(r request, rung Rung, err error) (b Block, lent, failed error) {
	failed = err
	switch rung.Kind {
	case RungPoll:
		if e.recoverAll(r) {
			b, failed = e.obtain(r)
		} else if found, ok := e.try(r); ok { // others may have retired what they asked about before
			return found, nil, nil
		}
	case RungTrim:
		if e.trimForRequest(r, err) {
			b, failed = e.obtain(r)
		}
	case RungWait:
		b, failed = e.wait(r, err)
	case RungPool:
		if b, lent = e.spill(r, rung.Pool); lent == nil {
			failed = nil
		}
	case RungDriver:
		b, failed = e.straightBlock(r, err)
	}
	return b, lent, failed
}

// trimForRequest is the rung trim: whatever is empty here goes back, and in other pools of the budget until a chunk
// fits. It reports whether anything did.
func (e *Engine) trimForRequest(r request, err error) bool {
	n, _ := e.trim(0)
	need, _ := e.chunkSizes(r)
	budget := e.config.Budget
	for _, other := range budget.others(e) {
		if reason(err) == ErrLimit && budget.left() >= need {
			break
		}
		e.outside(func() { n += other.trimForOther() })
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
		e.rush()
		defer e.relax()
	}
	e.lock()
	defer e.finish()
	if e.closed {
		return 0
	}
	_, _ = e.poll() // what streams have passed may be all that is left in a chunk
	n, _ := e.trim(0)
	return n
}
