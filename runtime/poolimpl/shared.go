package poolimpl

// SharedCore is a core that any number of goroutines call at once, without the pool's lock. It is safe for concurrent use, except that calls which
// change the chunks are made under the lock.
type SharedCore interface {
	Core // Alloc need not find all that is free: it may look at what is at hand for the caller's processor alone

	// AllocAny is Alloc that finds all that is free.
	AllocAny(bytes, align uint64) (slot uint32, off uint64, ok bool)

	// Evict is Remove for a chunk without live blocks. If a block is live, Evict changes nothing and reports false.
	Evict(slot uint32) bool

	// Steal makes an empty chunk that another processor has at hand one that the caller has, and reports whether there was any.
	Steal() bool

	// Walk shows each piece as it is at some moment of the call.

	// Shut hands out no more blocks, and forgets the chunks. While blocks are live, Shut changes nothing and reports false, unless force is set.
	// Usage stays as it was.
	Shut(force bool) bool
}

// SharedInFlight is InFlight for a pool without a lock on its fast path. It is asked after a block was taken. If a range is in flight, the block goes
// back: it may lie there.
func (e *Engine) SharedInFlight() bool { return e.streams.anyInFlight.Load() }

// WakeWaiters gives free memory to those who wait, after a free without the lock.
func (e *Engine) WakeWaiters() {
	e.lock()
	defer e.unlockAndNotify()
	e.wakeNext()
}
