package slabs

import (
	"math"
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// room is where a processor finds memory when its slabs are full.
type room uint32

const (
	// roomy: in a new slab.
	roomy room = iota
	// full: nowhere, and the pool could not grow. New slabs would keep memory from requests of other sizes.
	full
	// scarce: nowhere, so the pool may grow. Slabs of other processors serve bins that are common even so, see [Core.noteCommon].
	scarce
	// crowded: in slabs of other processors. There is no room for a new slab, but much of the memory is free: in slabs in use, or as goroutines have moved to other
	// processors, and the blocks that they freed have stayed behind.
	crowded
)

// allocMore hands out a block of a bin to a processor whose slabs are full, unless the room is scarce or full.
func (c *Core) allocMore(d *procCache, b int, bytes uint64) (s *slab, off uint64, ok bool) {
	if now := c.roomNow(); now == roomy || c.looksAgain(d, now) {
		s = c.newSlabFor(d, b, now, false)
	}
	if s == nil && c.sharesSlabs(b) {
		if s, off, ok = c.allocElsewhere(d, b, bytes); ok {
			return s, off, true
		}
		if c.roomNow() == crowded {
			s = c.newSlabFor(d, b, crowded, true)
		}
	}
	if s != nil {
		if off, _, ok = s.allocIn(0, bytes); ok {
			d.bins[b].setOpen(s, s.firstLine)
		}
	}
	return s, off, ok
}

// sharesSlabs reports whether a processor whose slabs of a bin are full may take blocks from those of other processors.
func (c *Core) sharesSlabs(b int) bool {
	now := c.roomNow()
	return now == crowded || now == scarce && c.common[b].Load()
}

// commonBlocks is how many blocks the slabs of a common bin have for each processor, at least.
const commonBlocks = 256

// noteCommon brings up to date whether a bin is common. A common bin has so many blocks that some of them are free nearly always, and that few requests of a
// processor find none in its own slabs. So processors seldom share its slabs if they do that before the pool grows. c.mu is held.
func (c *Core) noteCommon(b int) {
	blocks, n := uint64(len(c.slabs[b]))*c.blocksOf(c.bins[b], c.reach), uint64(len(c.users))
	c.common[b].Store(n > 1 && blocks >= commonBlocks*n)
}

// newSlabFor takes a slab for a processor, and brings the room up to date. If there is no room and the caller, who has found the room to be as it is, may grow the
// pool, slabs without a live block make room. It returns nil if there are none. If isTried, slabs of other processors have no block either.
func (c *Core) newSlabFor(d *procCache, b int, found room, isTried bool) *slab {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.addSlab(d, b)
	stays := c.roomNow() != found || found == full
	if s == nil && !stays && c.look() {
		s = c.addSlab(d, b)
	}
	switch {
	case s != nil:
		c.setRoom(roomy)
	case stays:
	case c.isCrowded && !isTried:
		c.setRoom(crowded)
	default:
		c.setRoom(scarce)
	}
	return s
}

func (c *Core) roomNow() room { return room(c.room.Load()) }

func (c *Core) setRoom(now room) {
	c.room.Store(uint32(now))
	if now != full {
		c.spent.Store(false)
	}
}

// bytesPerVisit is for how many bytes of a new chunk look may visit a slab more. The visits then take less time than the chunk.
const bytesPerVisit = 2048

// look gives back the slabs without a live block, of any processor, and reports whether there were any: a processor on which several goroutines ran for a while has
// more slabs than it needs afterwards. It also counts the live blocks of the slabs that have changed, to tell whether the core is crowded. While it may
// not visit all of these, the answer is that of last time. c.mu is held.
func (c *Core) look() (released bool) {
	n := c.chunks.Len() + len(c.lists.unchecked) + len(c.lists.uncounted) + c.changed()
	if c.visits < n {
		return false
	}
	c.visits -= n
	released = c.releaseEmpty()
	c.countChanged()
	c.isCrowded = c.size+c.usual > c.enough() && c.size >= uint64(len(c.users))*c.share
	return released
}

// enough returns how much memory the core should have: for its live blocks, a sixteenth of them, and so many free blocks of each bin for each processor as twice the
// standard deviation of the number of live ones, if they come and go at random. With that processors seldom share slabs, which costs ten times as much as slabs of
// their own. c.mu is held, and all is counted.
func (c *Core) enough() uint64 {
	bins := 0
	for _, list := range c.slabs {
		bins += min(len(list), 1)
	}
	slabs := float64(c.taken - c.sums.cached) // of live and pending blocks
	spare := 2 * slabs * math.Sqrt(float64(bins*len(c.users))/float64(max(c.sums.live, 1)))
	live := c.back.Usage().Occupied - c.sums.cached // without those behind that are pending
	return live + live/16 + uint64(spare)
}

// someLooks is how many requests of a processor get no slab before it looks for room for a slab again.
const someLooks = 256

// looksAgain reports whether a processor should look for room for a slab again. A full pool has room again if half of its memory is free: slabs
// take up about twice the memory of their live blocks.
func (c *Core) looksAgain(d *procCache, now room) bool {
	n := atomic.LoadUint32(&d.looks) + 1
	poolimpl.StoreRelaxed(&d.looks, n)
	if n%someLooks != 0 {
		return false
	}
	if now != full {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.back.Usage().Occupied <= c.size/2
}

// allocElsewhere hands out a free block of a bin from the slabs of any processor. It begins with that of the caller, so processors try the others in
// different orders.
func (c *Core) allocElsewhere(d *procCache, b int, bytes uint64) (s *slab, off uint64, ok bool) {
	first := poolimpl.Proc()
	for i := range c.procCaches {
		if s, off, ok = c.procCache(first + uint32(i)).bins[b].alloc(&d.bins[b], bytes); ok {
			return s, off, true
		}
	}
	return nil, 0, false
}
