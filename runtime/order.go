package runtime

// ParkingCore is the core of a pool that is ordered with streams: blocks can be parked in it. A parked block is not live, so that freeing
// it is refused as freeing it twice; but it takes up its place as if it were.
type ParkingCore interface {
	Core
	// Park makes a live block a parked one. It counts as freed. The verdict is that of a free.
	Park(addr, bytes uint64) Verdict
	// Unpark makes a parked block live again and says where it is. It counts as handed out.
	Unpark(addr, bytes uint64) (slot uint32, off uint64)
	// Retire frees a parked block. It was counted when it was parked.
	Retire(addr, bytes uint64) (slot uint32, v Verdict)
	// Undo takes back a block as if it had never been handed out.
	Undo(addr, bytes uint64) (slot uint32, v Verdict)
}

// Park keeps a block that the core has parked until the stream has passed. It reports whether CloseDue should be
// called once the lock is released. Part of the fast path, under the lock.
func (e *Engine) Park(s Stream, addr, bytes uint64) (due bool) { return e.lanes.Park(s, addr, bytes) }

// Unpark returns the address of the block of exactly so many bytes that was freed on the stream last; the core has to be told.
// Part of the fast path, under the lock.
func (e *Engine) Unpark(s Stream, bytes uint64) (addr uint64, ok bool) {
	return e.lanes.Unpark(s, bytes)
}

// CloseDue closes the epochs that have gathered enough frees, and retires what has completed. The caller holds no lock. An error of
// the driver is not reported: blocks stay parked until a later mark covers them.
func (e *Engine) CloseDue() {
	e.lock()
	defer e.finish()
	for i := 0; i < len(e.lanes.lanes); i++ { // lanes may come meanwhile
		if n := &e.lanes.lanes[i]; n.fresh >= epochSize {
			_ = e.closeEpoch(n)
		}
	}
	_, _ = e.retireCompleted()
}

// Poll does what is due: it retires the frees whose streams have passed them, and gives back chunks that have been empty for long
// enough. It returns how many frees it retired.
func (e *Engine) Poll() int {
	if Debug {
		e.rush()
		defer e.relax()
	}
	e.lock()
	defer e.finish()
	if e.closed {
		return 0
	}
	n, _ := e.poll()
	e.trimIdle()
	return n
}

// pending returns how many frees wait for a stream: those that are parked, and those whose place is hot.
func (e *Engine) pending() int {
	n := e.lanes.Count() + len(e.loans.parked)
	for i := range e.hot {
		n += e.hot[i].frees
	}
	return n
}

// tryParked takes a block that was freed on the request's own stream.
func (e *Engine) tryParked(r request) (Block, bool) {
	if r.stream == nil || e.parking == nil {
		return Block{}, false
	}
	addr, ok := e.lanes.Unpark(*r.stream, r.bytes)
	if !ok {
		return Block{}, false
	}
	if addr&(r.align-1) != 0 { // back to its lane, as if freed last
		e.lanes.Park(*r.stream, addr, r.bytes)
		return Block{}, false
	}
	return e.blockAt(e.parking.Unpark(addr, r.bytes)), true
}

// recover looks for memory among the frees on streams before the pool grows: those that have completed, as far as the driver
// was asked to mark them, then all of the request's own stream. It reports whether there is more than before.
func (e *Engine) recover(r request) bool {
	if e.parking == nil {
		return false
	}
	if n, _ := e.retireCompleted(); n > 0 {
		return true
	}
	return r.stream != nil && !e.config.Exact && e.absorbOwn(*r.stream)
}

// recoverAll does so when the pool cannot grow: with every free that there was, on any stream, and what other callers retire
// meanwhile. An allocation on a stream need not wait here for what others freed: its stream will.
func (e *Engine) recoverAll(r request) bool {
	if e.parking == nil {
		return false
	}
	before := e.retired
	if _, _ = e.poll(); e.retired > before {
		return true
	}
	return r.stream != nil && !e.config.Exact && e.absorbAll() || e.retired > before
}
