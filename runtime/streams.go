package runtime

// StreamCore is the core of a pool that is ordered with streams: blocks can be pending in it. A pending block is not live, so that freeing
// it is refused as freeing it twice; but it takes up its place as if it were.
type StreamCore interface {
	Core
	// Defer makes a live block a pending one. It counts as freed. The verdict is that of a free.
	Defer(addr, bytes uint64) Verdict
	// Reuse makes a pending block live again and says where it is. It counts as handed out.
	Reuse(addr, bytes uint64) (slot uint32, off uint64)
	// Reclaim frees a pending block. It was counted when it was deferred.
	Reclaim(addr, bytes uint64) (slot uint32, v Verdict)
}

// Defer keeps a block that the core has made pending until the stream has passed. It reports whether ReclaimDue should be
// called once the lock is released. Part of the fast path, under the lock.
func (e *Engine) Defer(s Stream, addr, bytes uint64) (due bool) {
	return e.streams.queues.Defer(s, addr, bytes)
}

// Reuse returns the address of the block of exactly so many bytes that was freed on the stream last; the core has to be told.
// Part of the fast path, under the lock.
func (e *Engine) Reuse(s Stream, bytes uint64) (addr uint64, ok bool) {
	return e.streams.queues.Reuse(s, bytes)
}

// ReclaimDue closes the epochs that have gathered enough frees, and retires what has completed. The caller holds no lock. An error of
// the driver is not reported: blocks stay pending until a later mark covers them.
func (e *Engine) ReclaimDue() {
	e.lock()
	defer e.unlockAndNotify()
	e.reclaimDue()
}

// reclaimDue is ReclaimDue under the lock.
func (e *Engine) reclaimDue() {
	for i := 0; i < len(e.streams.queues.list); i++ { // lanes may come meanwhile
		if q := &e.streams.queues.list[i]; q.unsealed >= epochSize {
			_ = e.sealEpoch(q)
		}
	}
	_, _ = e.reclaimCompleted()
}

// Poll does what is due: it retires the frees whose streams have passed them, and gives back chunks that have been empty for long
// enough. It returns how many frees it retired.
func (e *Engine) Poll() int {
	if Debug {
		e.flushQuarantine()
		defer e.endBypass()
	}
	e.lock()
	defer e.unlockAndNotify()
	if e.life.closed {
		return 0
	}
	n, _ := e.poll()
	e.trimIdle()
	return n
}

// pending returns how many frees wait for a stream: those that are pending, and those whose place is hot.
func (e *Engine) pending() int {
	n := e.streams.queues.Count() + len(e.foreign.pending)
	for i := range e.streams.inFlight {
		n += e.streams.inFlight[i].frees
	}
	return n
}

// reuse takes a block that was freed on the request's own stream.
func (e *Engine) reuse(r request) (Block, bool) {
	if r.stream == nil || e.core.stream == nil {
		return Block{}, false
	}
	addr, ok := e.streams.queues.Reuse(*r.stream, r.bytes)
	if !ok {
		return Block{}, false
	}
	if addr&(r.align-1) != 0 { // back to its lane, as if freed last
		e.streams.queues.Defer(*r.stream, addr, r.bytes)
		return Block{}, false
	}
	return e.blockAt(e.core.stream.Reuse(addr, r.bytes)), true
}

// recover looks for memory among the frees on streams before the pool grows: those that have completed, as far as the driver
// was asked to mark them, then all of the request's own stream. It reports whether there is more than before.
func (e *Engine) recover(r request) bool {
	if e.core.stream == nil {
		return false
	}
	if n, _ := e.reclaimCompleted(); n > 0 {
		return true
	}
	return r.stream != nil && !e.config.Direct && e.reclaimOwnEarly(*r.stream)
}

// recoverAll does so when the pool cannot grow: with every free that there was, on any stream, and what other callers retire
// meanwhile. An allocation on a stream need not wait here for what others freed: its stream will.
func (e *Engine) recoverAll(r request) bool {
	if e.core.stream == nil {
		return false
	}
	before := e.streams.reclaimed
	if _, _ = e.poll(); e.streams.reclaimed > before {
		return true
	}
	return r.stream != nil && !e.config.Direct && e.reclaimAllEarly() || e.streams.reclaimed > before
}
