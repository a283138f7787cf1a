package poolimpl

// Poll reclaims the frees that their streams have passed, and returns chunks that have been empty for long enough. The result is the number of frees
// reclaimed. Any goroutine may call Poll, unless the pool has no lock. Cost: one call of the driver to seal each stream's frees, and one for each fence that
// it asks about.
func (e *Engine) Poll() int {
	defer e.tidyBudget()
	if Debug {
		e.observed.debug.flushQuarantine(e)
		defer e.observed.debug.endBypass()
	}
	e.lock()
	defer e.unlockAndNotify()
	if e.life.closed {
		return 0
	}
	n, _ := e.order.poll()
	_, _ = e.retryUnreturned()
	e.expire()
	return n
}

// poll seals all epochs and reclaims the completed ones, after other callers that are doing so. An epoch that another caller is sealing is left to that one. The lock
// is released while the driver is called.
func (e onStreams) poll() (reclaimed int, err error) { return e.pollAfter((*streams).trySeal) }

// pollAll is poll, after other callers that are sealing an epoch.
func (e onStreams) pollAll() (int, error) { return e.pollAfter((*streams).sealAll) }

// pollAfter is poll, with a function that seals the epochs of a queue.
func (e onStreams) pollAfter(seal func(*streams, *StreamQueue) error) (reclaimed int, err error) {
	if d := e.core.driver; d != nil {
		d.observe(e.Engine)
	}
	for e.streams.polling && e.streams.awaitDriver() {
	}
	err = e.streams.sealEpochs(seal)
	for e.streams.polling && e.streams.awaitDriver() {
	}
	n, failed := e.reclaimCompleted()
	if err == nil {
		err = failed
	}
	e.streams.err = err
	return n, err
}

// reuse takes a block that was freed on the request's own stream.
func (e onStreams) reuse(r request) (slot uint32, off uint64, ok bool) {
	core, q := &e.core, e.streams.queues.find(*r.stream)
	if q == nil {
		return 0, 0, false
	}
	q.lock()
	defer q.unlock()
	bytes := r.bytes
	if core.rounds != nil {
		bytes = core.rounds.Rounded(bytes)
	}
	addr, ok := q.Reuse(bytes)
	if !ok && bytes != r.bytes {
		bytes = r.bytes
		addr, ok = q.Reuse(bytes)
	}
	if !ok {
		return 0, 0, false
	}
	if addr&(r.align-1) != 0 { // back to its queue, as if it were freed last
		q.Defer(addr, bytes)
		return 0, 0, false
	}
	slot, off = core.stream.Reuse(addr, r.bytes)
	return slot, off, true
}

// The steps of recover, in the order of their cost.
const (
	seekCompleted = iota // frees behind a fence that their stream has passed
	seekOwn              // all frees of the request's own stream
	seekAll              // frees of any stream that has passed them, fence or not
	seekNone
)

// recover looks for memory among the frees on streams before the pool grows. Each step is taken once for each growth. It reports whether the request may be
// served now: there is more free memory than before, or the lock was released meanwhile, and others may have done something. seek is the step to begin with next.
func (e onStreams) recover(r request) (found bool, seek int) {
	for unlocks := e.unlocks; r.seek < seekNone && !found; r.seek++ {
		switch r.seek {
		case seekCompleted:
			n, _ := e.reclaimCompleted()
			found = n > 0
		case seekOwn:
			found = r.stream != nil && !e.config.Direct && e.recoverOwn(*r.stream)
		case seekAll:
			if e.streams.queues.anyUnsealed() {
				_, _ = e.pollAll()
			}
			found = e.unlocks != unlocks
		}
	}
	return found, r.seek
}

// recoverOwn puts all that was freed on a stream in flight. It reports whether there was any.
func (e onStreams) recoverOwn(on Stream) bool {
	q := e.streams.queues.find(on)
	if q == nil {
		return false
	}
	if e.streams.sealAll(q) != nil {
		return false
	}
	q = e.streams.queues.find(on) // the queue may have another stream now
	return q != nil && e.streams.reclaimEarly(&e.core, q, e.config.rounding())
}

// recoverAll looks for memory among all frees on streams when the pool cannot grow, and notices what other callers reclaim meanwhile. An allocation on a
// stream can use memory freed on other streams at once: the driver makes its stream wait.
func (e onStreams) recoverAll(r request) (any bool) {
	before := e.streams.reclaimed.Load()
	if _, _ = e.pollAll(); e.streams.reclaimed.Load() > before {
		return true
	}
	if r.stream != nil && !e.config.Direct {
		any = e.recoverOthers()
	}
	return any || e.streams.reclaimed.Load() > before
}

// recoverOthers puts all that was freed on streams in flight, so that the request's stream can have it and wait. It reports whether there is anything new. What
// gets no fence, as its stream takes part in a capture, stays in its queue.
func (e onStreams) recoverOthers() (any bool) {
	_ = e.streams.sealEpochs((*streams).sealAll)
	for _, q := range e.streams.queues.list {
		any = e.streams.reclaimEarly(&e.core, q, e.config.rounding()) || any
	}
	return any
}

// freedByOthers returns the length of the longest block in the queues of other streams than the request's. If nothing hinders the request's stream from waiting for
// such blocks, it has them already: then the result is 0.
func (e onStreams) freedByOthers(r request) (longest int64) {
	if r.stream == nil || e.config.Direct || e.config.AcrossStreams != AcrossLimit || e.config.hasRung(RungPoll) {
		return 0
	}
	for _, q := range e.streams.queues.list {
		if q.stream != *r.stream {
			q.all(func(bytes uint64) { longest = max(longest, int64(bytes)) })
		}
	}
	return longest
}

// streamEnds seals the frees of a stream that is about to be destroyed, while it still takes a fence. The caller does not hold e.mu.
func (e onStreams) streamEnds(s Stream) {
	e.lock()
	defer e.unlockAndNotify()
	if q := e.streams.queues.find(s); q != nil {
		q.leave()
		_ = e.streams.sealAll(q)
	}
}
