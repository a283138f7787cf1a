// Package ring hands out temporaries: blocks of any size that are freed in about the order of their allocation.
//
// Chunks are cut into arenas. An arena is a ring of bytes: blocks are put behind the newest one, and the
// space of the oldest comes back when it is freed, together with that of the blocks next in age that were freed before. So frees
// may come in any order; what a late one costs is space, not time. The live blocks of an arena stand in a queue
// ordered by age: a free looks at its end first, and else asks an index.
//
// Blocks come from one arena, the current one, until it cannot serve a request. Then it is put on a shelf, where arenas lie
// sorted by the room they have, and the one with the most room that can serve takes its place. A request that
// no arena can serve changes nothing.
//
// The state of the current arena lies in the suballocator itself, and the fast paths change no more of it than the queue, one end
// of it and one sum each. What follows from those, such as the room in an arena, is worked out when it is asked for.
package ring

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// Core is the suballocator. Its zero value is empty and ready for Add. It is not safe for concurrent use, nor may
// it be copied after first use.
type Core struct {
	current arena // the current arena, that blocks come from; its size is 0 when there is none

	// Bytes asked for by all blocks so far, and by those of them that were freed. Two sums that only grow: one that went up
	// and down would make each free wait for the allocation before it, and the other way round. Where the peak is counted it is
	// added to the second, so that taken goes beyond given when there is a new peak.
	allocated uint64
	freed     uint64
	//poolgen:if feature.Counters
	peak uint64 // largest number of bytes in use that a free has seen
	//poolgen:if feature.Counters
	retired uint64 // blocks that came from arenas that are gone

	home         *arena  // where the current arena was taken from, and goes back to
	last         *arena  // the one that a block was freed in last; nil: none
	chunks       []chunk // by slot
	where        poolimpl.Directory
	fresh        []uint32   // slots of chunks that are not cut up to their end
	arenasBySize [64]*arena // lists of the other arenas with room, by the logarithm of it
	filled       uint64     // bit i: shelf[i] is not empty
	noFitFrom    uint64     // requests from this length on find nothing on the shelf; 0: not known

	//poolgen:if feature.Streams
	pending uint64 // bytes that pending blocks take up
	//poolgen:if feature.Streams || feature.Shareable
	near uint64 // number of the block that was deferred or reused last, in some arena
}

// AllocFast hands out bytes bytes behind the newest block of the current arena, at a multiple of the granule. It fails when they are not
// there, or the queue may be full; [Core.Alloc] may still find them. Small enough to be inlined. The sum is updated in place, in
// the fewest instructions: that it takes a few cycles until it can be updated again is hidden behind the rest of a call.
func (c *Core) AllocFast(bytes uint64) (slot uint32, off uint64, ok bool) {
	a := &c.current
	n := a.newest
	off = a.head
	if bytes-1 < a.limit-off && n < a.ahead {
		*a.at(n) = block{off, bytes}
		a.newest = n + 1
		a.head = off + (bytes+granule-1)&^(granule-1)
		c.allocated += bytes
		return a.slot, off, true
	}
	return
}

// Alloc hands out bytes bytes, one at least, at a multiple of align and of the granule. Costs O(1) in the current
// arena. Moving on is O(1) too, except for arenas with about the room asked for: these are tried one by one, though not again
// until one has more. An alignment above arenaSize is kept if an arena happens to start there, as the first of a chunk made for it does.
func (c *Core) Alloc(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	if align <= granule {
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
	return c.current.slot, c.current.put(bytes, align), true
}

// FreeFast takes back the block of bytes bytes that starts at addr, if it is the oldest of the current arena and nothing else has to
// follow. Otherwise it changes nothing, and [Core.Free] has to see to it. Small enough to be inlined.
func (c *Core) FreeFast(addr, bytes uint64) bool {
	n, freed := c.current.oldest, c.freed
	if n < c.current.sure && (!feature.Counters || c.allocated <= freed) {
		if *c.current.at(n) == (block{addr - c.current.base, bytes}) {
			c.current.oldest = n + 1
			c.freed = freed + bytes
			return true
		}
	}
	return false
}

// Free takes back the block of bytes bytes that starts at addr. Costs O(1), on average over many frees and
// the doublings of the queue. A block freed before is told from a foreign one as long as an older one is live.
func (c *Core) Free(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	if feature.Locked { // else the shell has tried it
		if c.FreeFast(addr, bytes) {
			return c.current.slot, poolimpl.Freed
		}
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

// Undo is Free for a block that no caller has received: it does not count as handed out. The peak may count it.
func (c *Core) Undo(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	slot, v = c.Free(addr, bytes)
	if feature.Counters {
		if v == poolimpl.Freed || v == poolimpl.Emptied {
			c.retired--
		}
	}
	return slot, v
}

// countFree counts a block that comes back. The bytes in use can only have peaked at a free, or now.
func (c *Core) countFree(bytes uint64) {
	if feature.Counters {
		if c.allocated > c.freed {
			c.peak += c.allocated - c.freed
			c.freed = c.allocated
		}
	}
	c.freed += bytes
}

// arenaEmptied handles an arena whose last live block was freed.
func (c *Core) arenaEmptied(a *arena) poolimpl.Verdict {
	if a != &c.current {
		c.chunks[a.slot].busy--
	}
	if feature.Trims && !c.isBusy(a.slot) {
		return poolimpl.Emptied
	}
	return poolimpl.Freed
}

// isBusy reports whether anything is live in a chunk.
func (c *Core) isBusy(slot uint32) bool {
	a := &c.current
	return c.chunks[slot].busy > 0 || a.slot == slot && a.oldest != a.newest
}

// Reset drops the bookkeeping of the past. Nothing may be live; then all arenas are empty already, and what
// is left to drop is the room in their queues.
func (c *Core) Reset() {
	for i := range c.chunks {
		for _, a := range c.chunks[i].arenas {
			a.queue, a.mask, a.ahead, a.index = nil, 0, 0, index{}
		}
	}
}
