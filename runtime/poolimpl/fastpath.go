package poolimpl

import (
	"unsafe"

	"github.com/poolgen/poolgen/runtime/internal/build"
)

// Everything in this file is part of the fast path of generated pools, and is inlined there. The caller holds e.mu, unless a comment says otherwise.

// Base returns the start of a chunk in memory that Go code can address. It does not check the slot, since a core has only slots that are in use.
func (t *chunks) Base(slot uint32) unsafe.Pointer { return t.at(slot).Ptr }

// Addr returns the start of a chunk as a number, for pools of memory that Go code cannot address, and of numbers. It does not check the slot.
func (t *chunks) Addr(slot uint32) uint64 { return t.at(slot).Addr }

// At returns the block at an offset of a chunk, in memory that Go code can address. A core that joins chunks may count the offset from the start of another chunk
// than the one where the block lies.
func (t *chunks) At(slot uint32, off uint64) unsafe.Pointer {
	if Debug {
		off *= Spacing
	}
	if build.Race {
		return t.pointer(slot, off)
	}
	return unsafe.Add(t.Base(slot), uintptr(off))
}

// OnlyAt is At for a pool that has one chunk or one range, from the start of which off counts. The caller does not hold e.mu, but knows that the pool holds the chunk.
func (t *chunks) OnlyAt(off uint64) unsafe.Pointer {
	if Debug {
		off *= Spacing
	}
	return unsafe.Add(t.first.Load().Ptr, uintptr(off))
}

// OnlyAddr is Addr for a pool that has one chunk. The caller is that of OnlyAt.
func (t *chunks) OnlyAddr() uint64 { return t.first.Load().Addr }

// OnlyChunk returns the start and the size of the chunk of a pool that has one, or those of its range; the size is 0 if the pool holds no chunk and no range. The
// caller does not hold e.mu, but owns a block of the chunk, or may read any result.
func (t *chunks) OnlyChunk() (addr, size uint64) {
	c := t.first.Load()
	if c == nil {
		return 0, 0
	}
	if c.Size == 0 {
		return c.Addr, c.Origin
	}
	return c.Addr, uint64(c.Size)
}

// Origin returns the Origin of a chunk, for pools whose chunks are identified by a handle. It does not check the slot.
func (t *chunks) Origin(slot uint32) uint64 { return t.at(slot).Origin }

// Defer keeps a block that the core has made pending until the stream has passed it. It reports whether the caller should call FreeOnSlow after releasing
// e.mu. Pools with a [SharedCore] lock the queue of the stream instead, with LockQueue.
func (e *Engine) Defer(s Stream, addr, bytes uint64) (due bool) {
	if q := e.streams.queues.recent; q != nil && q.stream.ID == s.ID {
		return !q.Push(addr, bytes) && q.PushSlow(addr, bytes)
	}
	return e.deferSlow(s, addr, bytes)
}

// Reuse returns the address of the block of exactly so many bytes that was freed last on the stream. The caller calls the core's Reuse. Pools with a
// [SharedCore] lock the queue of the stream instead, with LockQueue.
func (st *streams) Reuse(s Stream, bytes uint64) (addr uint64, ok bool) {
	if q := st.queues.recent; q != nil && q.stream.ID == s.ID {
		if addr, ok = q.run.pop(bytes); ok {
			return addr, true
		}
		return q.search(bytes)
	}
	return st.reuseSlow(s, bytes)
}

// Sampled reports whether the block at a place may be sampled: then its free is left to Free, FreeOn or FreeLife. The caller may hold e.mu or not.
func (o *observed) Sampled(place uint64) bool { return o.samples.Has(place) }

// UnlockFreed ends a free that took the lock: it serves the waiters and releases the lock.
func (e *Engine) UnlockFreed() {
	if e.HasWaiters() {
		e.ServeWaiters()
	}
	e.Unlock()
}
