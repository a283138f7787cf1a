// Package ring hands out temporaries: blocks of any size that are freed in about the order of their allocation.
//
// Chunks are cut into arenas. An arena is a ring of bytes: blocks are put behind the newest one, and the
// space of the oldest comes back when it is freed, together with that of the blocks next in age that were freed before. So frees
// may come in any order; what a late one costs is space, not time. The live blocks of an arena stand in a queue
// ordered by age, and hence by place: a free looks at its end first, and else searches by halving.
//
// Blocks come from one arena, the current one, until it cannot serve a request. Then it is put on a shelf, where arenas lie
// sorted by the room they have, and the one with the most room that can serve takes its place. A request that
// nobody can serve changes nothing.
package ring

import (
	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/templates/feature"
	"github.com/poolgen/poolgen/templates/locate"
	"github.com/poolgen/poolgen/templates/tally"
)

// Core is the suballocator. Its zero value is empty and ready for Add. It is not safe for concurrent use.
type Core struct {
	current *arena // nil: none
	last    *arena // the one that a block was freed in last; nil: none
	count   tally.Tally

	chunks []chunk // by slot
	where  locate.Directory
	fresh  []uint32   // slots of chunks that are not cut up to their end
	shelf  [64]*arena // lists of the other arenas with room, by the logarithm of it
	filled uint64     // bit i: shelf[i] is not empty
	barren uint64     // requests from this length on find nothing on the shelf; 0: not known
}

// Alloc hands out bytes bytes, one at least, at a multiple of align and of the granule. Costs O(1) in the current
// arena. Moving on is O(1) too, save for arenas with about the room asked for: these are tried one by one, though not again
// until one has more. An alignment above arenaSize is kept if an arena happens to start there, as the first of a chunk made for it does.
func (c *Core) Alloc(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	if a := c.current; a != nil {
		off = a.head
		if align > granule {
			off = a.alignUp(off, align)
		}
		if off < a.limit && bytes-1 < a.limit-off && a.newest-a.oldest < uint(len(a.queue)) {
			if a.oldest == a.newest {
				a.tail = off
				c.chunks[a.slot].busy++
			}
			*a.at(a.newest) = block{off, bytes}
			a.newest++
			a.head = off + (bytes+granule-1)&^(granule-1)
			c.count.Take(bytes)
			return a.slot, a.start + off, true
		}
	}
	return c.allocSlow(bytes, align)
}

// allocSlow makes way for Alloc: it lengthens the queue of the current arena, goes round in it, or turns to another.
func (c *Core) allocSlow(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	a := c.current
	if a == nil || !a.canServe(bytes, align) {
		if a = c.find(bytes, align); a == nil {
			return 0, 0, false
		}
		c.turn(a)
	}
	if !a.fits(a.head, a.limit, bytes, align) {
		a.head, a.limit, a.round = 0, a.tail, a.newest
	}
	if a.newest-a.oldest == uint(len(a.queue)) {
		a.grow()
	}
	return c.Alloc(bytes, align)
}

// Free takes back the block of bytes bytes that starts at addr. Costs O(1) for the oldest block of an arena, O(log blocks)
// for others. A block freed before is told from a foreign one as long as an older one is live.
func (c *Core) Free(addr, bytes uint64) (slot uint32, v runtime.Verdict) {
	a := c.last
	if a == nil || addr-a.base >= a.size {
		return c.freeElsewhere(addr, bytes)
	}
	if !a.isOldest(addr-a.base, bytes) {
		return c.freeYounger(a, addr-a.base, bytes)
	}
	c.count.Give(bytes)
	next := a.oldest + 1
	if next == a.newest || a.at(next).bytes == 0 || a.limit < a.size || a != c.current {
		return c.freeOldest(a)
	}
	a.oldest, a.tail = next, a.at(next).off // all that is to do as a rule
	return a.slot, runtime.Freed
}

// freeElsewhere looks for the arena of a block first.
func (c *Core) freeElsewhere(addr, bytes uint64) (slot uint32, v runtime.Verdict) {
	a := c.arenaOf(addr)
	if a == nil {
		return 0, runtime.Foreign
	}
	c.last = a
	return c.Free(addr, bytes)
}

// freeYounger frees a block of which no more is known than that it is not the oldest.
func (c *Core) freeYounger(a *arena, off, bytes uint64) (slot uint32, v runtime.Verdict) {
	if v = a.strike(off, bytes); v == runtime.Freed {
		c.count.Give(bytes)
	}
	return a.slot, v
}

// freeOldest frees the oldest block of an arena, and sees to what follows.
func (c *Core) freeOldest(a *arena) (slot uint32, v runtime.Verdict) {
	a.pop()
	if a != c.current {
		c.file(a)
	}
	if a.oldest == a.newest {
		ch := &c.chunks[a.slot]
		ch.busy--
		if feature.Trims && ch.busy == 0 {
			return a.slot, runtime.Emptied
		}
	}
	return a.slot, runtime.Freed
}

// Reset drops the bookkeeping of the past. Nothing may be live; then all arenas are empty already, and what
// is left to drop is the room in their queues.
func (c *Core) Reset() {
	for i := range c.chunks {
		for _, a := range c.chunks[i].arenas {
			a.queue = nil
		}
	}
}

// Take is Alloc for the alignment that every block has.
func (c *Core) Take(bytes uint64) (slot uint32, off uint64, ok bool) { return c.Alloc(bytes, 1) }
