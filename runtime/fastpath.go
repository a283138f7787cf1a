package runtime

import "unsafe"

// What stands here is called on the fast paths of generated pools, and is small enough to be inlined there.

// At returns the block at an offset of a chunk, in memory that Go code can address.
func (e *Engine) At(slot uint32, off uint64) unsafe.Pointer {
	if Debug {
		off *= Spacing
	}
	return unsafe.Add(e.Base(slot), uintptr(off))
}

// SharedAt is At for a pool without a lock on its fast path.
func (e *Engine) SharedAt(slot uint32, off uint64) unsafe.Pointer {
	if Debug {
		off *= Spacing
	}
	return unsafe.Add(e.SharedBase(slot), uintptr(off))
}

// Place returns where a block in memory that Go code can address is, as a number.
func Place(block unsafe.Pointer) uint64 { return uint64(uintptr(block)) }

// Addr returns the address of such a block as the core knows it: its place or, in programs built with the tag pooldebug, where blocks lie apart,
// its place divided by [Spacing].
func Addr(block unsafe.Pointer) uint64 {
	if Debug {
		return Place(block) / Spacing
	}
	return uint64(uintptr(block))
}

// UnlockFreed ends a free that took the lock: it serves those who wait for a block and releases the lock.
func (e *Engine) UnlockFreed() {
	if e.HasWaiters() {
		e.ServeWaiters()
	}
	e.Unlock()
}
