// Package ring allocates temporaries: blocks of any size that are freed in about the order of their allocation.
//
// Chunks are cut into arenas. An arena is a ring of bytes: blocks are put behind the newest one. When the oldest block is freed, its space becomes
// free, together with that of the blocks next in age that were freed before. So frees may come in any order; a late one costs space, not time. The
// blocks of an arena are in a queue ordered by age. A free looks at the oldest block first, and otherwise in an index.
//
// Blocks come from one arena, the current one, until it cannot serve a request. Then it goes into a list of arenas with about the same room, and
// one of those with the most room takes its place. A request that no arena can serve changes nothing.
//
// The state of the current arena lies in the suballocator itself. The fast paths change the queue, one end of it, and one sum each.
// Other figures, such as the room in an arena, are computed when they are needed.
package ring

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Core is the suballocator. The zero value has no chunks and is ready for Add. It is not safe for concurrent use, and must not be copied after
// first use.
type Core struct {
	current arena // the arena that blocks come from; its size is 0 when there is none

	// Bytes asked for by all allocations, and by all frees. A single sum, which went up and down, would make each free wait for the allocation
	// before it, and the other way round. The second sum includes the peak: when allocated exceeds freed, there is a new peak.
	allocated uint64
	freed     uint64
	mask      uint64 // the granule less one
	peak      uint64 // largest number of bytes in use that a free has seen
	retired   uint64 // allocations from removed arenas

	params       Params
	home         *arena  // where the state of the current arena came from, and goes back to
	last         *arena  // arena that was looked up last; may be nil
	chunks       []chunk // by slot
	where        poolimpl.Directory
	fresh        []uint32   // slots of chunks that have room for another arena
	arenasBySize [64]*arena // lists of the other arenas with room, by the logarithm of the room
	filled       uint64     // bit i: list i is not empty
	noFitFrom    uint64     // no arena in the lists fits a request from this length on; 0: not known

	pending uint64 // bytes that pending blocks take up
	near    uint64 // number of the block that locate found last, in some arena
}

// AllocFast allocates bytes bytes behind the newest block of the current arena, at a multiple of the granule. It fails if there may be no room
// there, or in the queue; [Core.Alloc] may then succeed. It is small enough to be inlined. The sum is updated in place, in the fewest
// instructions: the few cycles until its next update can begin are hidden behind the rest of a call.
func (c *Core) AllocFast(bytes uint64) (slot uint32, off uint64, ok bool) {
	a := &c.current
	n := a.newest
	off = a.head
	if bytes-1 < a.limit-off && n < a.ahead {
		a.head = off + (bytes - 1 | c.mask) + 1
		*a.at(n) = block{off, bytes}
		a.newest = n + 1
		c.allocated += bytes
		return a.slot, off, true
	}
	return
}

// Alloc allocates bytes bytes, at least one, at a multiple of align and of the granule. Costs O(1) in the current arena. The change to another
// arena is O(1), too, except that arenas with about the room asked for are tried one by one. When none of them fits, they are not tried
// again until one has more room. A request with an alignment above the size of an arena succeeds only if an arena starts at a multiple of it, as the first
// one of a chunk made for the request does.
func (c *Core) Alloc(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	if align-1 <= c.mask {
		if slot, off, ok = c.AllocFast(bytes); ok {
			return slot, off, true
		}
	}
	if !c.current.canServe(bytes, align) {
		a := c.find(bytes, align)
		if a == nil {
			return 0, 0, false
		}
		c.makeCurrent(a)
	}
	c.allocated += bytes
	return c.current.slot, c.current.put(bytes, c.roundUp(bytes), align), true
}

// FreeFast frees the block of bytes bytes that starts at addr, if it is the oldest of the current arena and the free has no other effect.
// Otherwise it changes nothing, and [Core.Free] must be called. It is small enough to be inlined.
func (c *Core) FreeFast(addr, bytes uint64) bool {
	n, freed := c.current.oldest, c.freed
	if n < c.current.sure && c.allocated <= freed {
		if *c.current.at(n) == (block{addr - c.current.base, bytes}) {
			c.current.oldest = n + 1
			c.freed = freed + bytes
			return true
		}
	}
	return false
}

// Free frees the block of bytes bytes that starts at addr. Costs O(1) on average, with the updates of the index. The verdict of a second free
// is poolimpl.Double as long as an older block of the arena is live. Afterwards it is poolimpl.Foreign, unless another block starts there.
func (c *Core) Free(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	if c.FreeFast(addr, bytes) { // callers that hold a lock have not tried this
		return c.current.slot, poolimpl.Freed
	}
	a := c.last
	if a == nil || addr-a.base-a.start >= a.size {
		if a = c.arenaOf(addr); a == nil {
			return 0, poolimpl.Foreign
		}
		c.last = a
	}
	if off := addr - a.base; !a.isOldest(off, bytes) {
		if v = a.skip(off, bytes); v == poolimpl.Freed {
			c.countFree(bytes)
		}
		return a.slot, v
	}
	c.countFree(bytes)
	a.pop()
	if a != &c.current {
		c.insertArena(a)
	}
	if a.oldest == a.newest {
		v = c.arenaEmptied(a)
	}
	return a.slot, v
}

// Undo is Free for a block that no caller has received. It takes back the count of the allocation, but not a new peak.
func (c *Core) Undo(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	slot, v = c.Free(addr, bytes)
	if v <= poolimpl.Emptied {
		c.retired--
	}
	return slot, v
}

// countFree counts the free of a block. It updates the peak first: bytes in use only grow between frees, so no other place has to.
func (c *Core) countFree(bytes uint64) {
	if c.allocated > c.freed {
		c.peak += c.allocated - c.freed
		c.freed = c.allocated
	}
	c.freed += bytes
}

// ResetPeak implements [poolimpl.PeakCore].
func (c *Core) ResetPeak() {
	c.peak += c.allocated - c.freed
	c.freed = c.allocated
}

// arenaEmptied updates the chunk of an arena whose last block was freed, and returns the verdict.
func (c *Core) arenaEmptied(a *arena) poolimpl.Verdict {
	if a != &c.current {
		c.chunks[a.slot].busy--
	}
	if c.params.Trims && !c.isBusy(a.slot) {
		return poolimpl.Emptied
	}
	return poolimpl.Freed
}

// isBusy reports whether a chunk has blocks.
func (c *Core) isBusy(slot uint32) bool {
	a := &c.current
	return c.chunks[slot].busy > 0 || a.slot == slot && a.oldest != a.newest
}

// Reset releases the memory of all queues and indexes. No block may be live, so the arenas are empty already.
func (c *Core) Reset() {
	for i := range c.chunks {
		for _, a := range c.chunks[i].arenas {
			a.queue, a.mask, a.ahead, a.index = nil, 0, 0, index{}
		}
	}
}
