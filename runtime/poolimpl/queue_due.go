package poolimpl

// queueOf returns the queue of a stream. If there is none, it makes one.
func (s *streams) queueOf(on Stream, shared bool) *StreamQueue {
	return s.queues.queue(on, s.driver(), shared)
}

// deferSlow is Defer for another stream than that of the last call. Asleep there is no such queue, and no work: the block is free at once.
func (e *Engine) deferSlow(s Stream, addr, bytes uint64) (due bool) {
	if e.life.sleep.state == asleep {
		e.core.stream.Reclaim(addr, bytes)
		return false
	}
	q := e.streams.queueOf(s, e.core.shared != nil)
	q.lock()
	defer q.unlock()
	return q.Defer(addr, bytes)
}

// reuseSlow is Reuse for another stream than that of the last call.
func (st *streams) reuseSlow(s Stream, bytes uint64) (addr uint64, ok bool) {
	q := st.queues.find(s)
	if q == nil {
		return 0, false
	}
	q.lock()
	defer q.unlock()
	return q.Reuse(bytes)
}

// deferBlock frees a block on a stream. due: the epoch of the stream should be sealed.
func (e onStreams) deferBlock(s Stream, addr, bytes uint64) (v Verdict, due bool) {
	if e.life.closed {
		return Foreign, false
	}
	if e.life.sleep.state == asleep {
		if v = e.core.stream.Defer(addr, bytes); v == Freed {
			e.core.stream.Reclaim(addr, bytes)
		}
		return v, false
	}
	q := e.streams.queueOf(s, e.core.shared != nil)
	q.lock()
	defer q.unlock()
	if e.core.rounds != nil {
		bytes, v = e.core.rounds.DeferRounded(addr, bytes)
	} else {
		v = e.core.stream.Defer(addr, bytes)
	}
	return v, v == Freed && q.Defer(addr, bytes)
}

// reclaimDue seals the open epoch of a stream if it has collected enough frees, and reclaims what the stream has passed. It does not report errors of the
// driver: the blocks stay pending until a later fence covers them.
func (e onStreams) reclaimDue(s Stream) {
	if e.streams.elsewhere() > 0 {
		defer e.reclaimCompleted()
	}
	if q := e.streams.queues.find(s); q != nil {
		frees, vacated := e.reclaimOwn(e.streams.driver(), q)
		e.returned(frees, vacated)
	}
}

// reclaimDueUnlocked is reclaimDue in a pool with a [SharedCore], for a caller that does not hold e.mu. It takes e.mu only if there is more to do.
func (e onStreams) reclaimDueUnlocked(s Stream) {
	frees, vacated := 0, []vacancy(nil)
	if q := e.LockQueue(s.ID); q != nil {
		frees, vacated = e.reclaimLocked(q)
	}
	if len(vacated) == 0 && !e.HasWaiters() && !e.SharedInFlight() && !e.streams.anyForeign.Load() {
		e.streams.reclaimed.Add(uint64(frees))
		return
	}
	e.lock()
	defer e.unlockAndNotify()
	if e.life.closed {
		return
	}
	if e.streams.elsewhere() > 0 {
		_, _ = e.reclaimCompleted()
	}
	e.returned(frees, vacated)
	e.wakeNext()
}

// reclaimLocked is reclaimOwn for a caller that holds the lock of the queue alone, if the queue has collected enough frees. The lock is released. The pool is
// not closed meanwhile.
func (e onStreams) reclaimLocked(q *StreamQueue) (frees int, vacated []vacancy) {
	if !q.isDue() { // a block was freed while others wait for one, or another caller seals the epoch
		q.unlock()
		return 0, nil
	}
	d := q.driver
	e.streams.calls.Add(1)
	q.unlock()
	defer d.end() // before the caller sends events: a hook may close the pool
	frees, vacated = e.reclaimOwn(d, q)
	_ = d.release()
	return frees, vacated
}

// reclaimOwn seals the open epoch of a queue if it has collected enough frees, and reclaims its completed epochs. The caller calls returned with the result.
func (e onStreams) reclaimOwn(d driver, q *StreamQueue) (frees int, vacated []vacancy) {
	q.lock()
	due := q.isDue()
	q.unlock()
	if due {
		_, _ = d.seal(q)
	}
	frees, vacated, _ = e.reclaimQueue(d, q)
	return frees, vacated
}
