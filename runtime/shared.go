package runtime

import (
	"slices"
	"sync/atomic"
	"unsafe"
)

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

// place is what goroutines need to know of a chunk to make an address of a slot. They read it without the lock.
type place struct {
	ptr          unsafe.Pointer
	addr, origin uint64
}

// places are those of all chunks, by slot. Whoever has an older table has all chunks in it whose slots it can know.
type places struct {
	first atomic.Pointer[place] // of the table
	table []place
}

// publish makes the place of a chunk known before the core hears of the chunk. A slot that is new goes to the end of the table, where nobody looks yet. The
// place of one that is used again stays what it was in the table that others have: somebody may still be about to look there, with a block that was reset.
func (p *places) publish(slot uint32, c Chunk) {
	at := place{c.Ptr, c.Addr, c.Origin}
	switch {
	case int(slot) == len(p.table):
		p.table = append(p.table, at)
	case p.table[slot] == at:
		return
	default:
		p.table = slices.Clone(p.table)
		p.table[slot] = at
	}
	p.first.Store(unsafe.SliceData(p.table))
}

func (p *places) at(slot uint32) *place {
	return (*place)(unsafe.Add(unsafe.Pointer(p.first.Load()), uintptr(slot)*unsafe.Sizeof(place{})))
}

// SharedBase is Base for a pool without a lock on its fast path.
func (e *Engine) SharedBase(slot uint32) unsafe.Pointer { return e.places.at(slot).ptr }

// SharedAddress is Address for such a pool.
func (e *Engine) SharedAddress(slot uint32) uint64 { return e.places.at(slot).addr }

// SharedOrigin is Origin for such a pool.
func (e *Engine) SharedOrigin(slot uint32) uint64 { return e.places.at(slot).origin }

// SharedInFlight is Hot for a pool without a lock on its fast path. It is asked after a block was taken, which goes back if places are hot: the block
// may lie on one.
func (e *Engine) SharedInFlight() bool { return e.streams.anyInFlight.Load() }

// restart makes all chunks as new ones, if no block is live in any.
func (e *Engine) restart() error {
	for slot := range e.chunks.list {
		if !e.chunks.holds(uint32(slot)) {
			continue
		}
		c, ok := e.evict(uint32(slot))
		if !ok {
			return e.liveError("reset")
		}
		e.admit(c)
	}
	return nil
}

// WakeWaiters hands what has become free to those who wait, after a free without the lock.
func (e *Engine) WakeWaiters() {
	e.lock()
	defer e.unlockAndNotify()
	e.wakeNext()
}
