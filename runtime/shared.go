package runtime

// SharedCore is a core that any number of goroutines call at once, without the pool's lock: it orders their calls itself. The engine calls it under the
// lock all the same, which orders those that change the chunks.
type SharedCore interface {
	Core // whose Alloc need not find all that is free: what is at hand for the caller's processor will do

	// AllocAny is Alloc that finds whatever is free.
	AllocAny(bytes, align uint64) (slot uint32, off uint64, ok bool)

	// Evict is Remove for a chunk that nobody uses now: if a block of it is live it changes nothing and reports false.
	Evict(slot uint32) bool

	// Steal makes a chunk that is empty, and that others have at hand, one that the caller has, and reports whether there was any.
	Steal() bool

	// Walk, here, shows each piece as it is at some moment of the call.

	// Shut has no more blocks handed out, and forgets the chunks. While blocks are live it changes nothing and reports
	// false, unless force is set. What it has counted, Usage still tells.
	Shut(force bool) bool
}

// SharedInFlight is Hot for a pool without a lock on its fast path. It is asked after a block was taken, which goes back if places are hot: the block
// may lie on one.
func (e *Engine) SharedInFlight() bool { return e.streams.anyInFlight.Load() }

// Undo follows up a block that went back for that reason: its chunk may be empty now, or somebody may have found no block meanwhile.
func (e *Engine) Undo(slot uint32, v Verdict, addr, bytes uint64) {
	if v != Emptied && !e.HasWaiters() {
		return
	}
	e.lock()
	defer e.unlockAndNotify()
	if v == Emptied {
		e.memory.layout.emptied(vacancy{slot, addr, bytes})
	}
	e.wakeNext()
}

// WakeWaiters hands what has become free to those who wait, after a free without the lock.
func (e *Engine) WakeWaiters() {
	e.lock()
	defer e.unlockAndNotify()
	e.wakeNext()
}
