package slabs

import (
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
	// scarce: nowhere, so the pool may grow. If Params.Crowds, slabs of other processors serve bins that are common even so, see [Core.noteCommon].
	scarce
)

// crowded: in slabs of other processors. There is no room for a new slab, but much of the memory is free: goroutines have moved to other processors, and the
// blocks that they freed have stayed behind.
const crowded = scarce + 1

// crowdedTenths is how many tenths of the memory of the live blocks the chunks of a crowded core have, at least. It also has a chunk for each processor
// that uses it, or a page. With less memory, processors would share slabs all the time, which costs ten times as much as slabs of their own.
const crowdedTenths = 15

// allocMore hands out a block of a bin to a processor whose slabs are full, unless the room is scarce or full.
func (c *Core) allocMore(d *procCache, b int, bytes uint64) (s *slab, off uint64, ok bool) {
	if now := c.roomNow(); now == roomy || c.looksAgain(d, now) {
		if s = c.newSlabFor(d, b); s != nil {
			if off, _, ok = s.allocIn(0, bytes); ok {
				d.bins[b].setOpen(s, s.firstLine)
			}
			return s, off, ok
		}
	}
	if c.params.Crowds && c.sharesSlabs(b) {
		if s, off, ok = c.allocElsewhere(d, b, bytes); !ok {
			c.room.CompareAndSwap(uint32(crowded), uint32(scarce))
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

// newSlabFor takes a slab for a processor, and brings the room up to date. It returns nil if there is no room for a slab.
func (c *Core) newSlabFor(d *procCache, b int) *slab {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.addSlab(d, b)
	switch {
	case s != nil:
		c.setRoom(roomy)
	case c.roomNow() != roomy:
	case c.params.Crowds:
		c.setRoom(c.crowdedOrScarce())
	default:
		s = c.replaceEmpty(d, b)
	}
	return s
}

// replaceEmpty gives back slabs without a live block, of any processor, and takes a slab for a processor in their place. A processor on which several goroutines
// ran for a while has more slabs than it needs afterwards. Where replaceEmpty finds few, or has looked since the last chunk came, the room is scarce: where processors
// free the blocks of others, each slab that one of them has just emptied would go back, and its owner take another. c.mu is held.
func (c *Core) replaceEmpty(d *procCache, b int) (s *slab) {
	if c.looked {
		c.setRoom(scarce)
		return nil
	}
	c.looked = true
	released := c.releaseSome(checksPerLook)
	if released > 0 {
		s = c.addSlab(d, b)
	}
	if released < fewReleased {
		c.setRoom(scarce)
	}
	return s
}

const (
	// checksPerLook is how many slabs replaceEmpty looks at. That takes about as long as a chunk more.
	checksPerLook = 1024
	// fewReleased: if fewer of these slabs go back, looking for them takes more time than it saves memory.
	fewReleased = 8
)

func (c *Core) roomNow() room { return room(c.room.Load()) }

func (c *Core) setRoom(now room) {
	c.room.Store(uint32(now))
	if now != full {
		c.spent.Store(false)
	}
}

// visitsPerLook is how many chunks and slabs crowdedOrScarce may visit for each time that there is no room. That takes about as long as a chunk more.
const visitsPerLook = 256

// crowdedOrScarce tells whether the room is crowded or scarce where there is none for slabs. It counts the live blocks of the slabs that have
// changed, and visits all chunks; if they are more than visitsPerLook together, not each time, and the answer is that of last time in between.
// c.mu is held.
func (c *Core) crowdedOrScarce() room {
	if c.parts == 0 || c.parts < len(c.users) {
		return scarce
	}
	n := c.chunks.Len()
	if c.unjudged += visitsPerLook; c.unjudged >= n+len(c.lists.uncounted)+c.changed() {
		c.unjudged = 0
		c.countChanged()
		live := c.back.Usage().Occupied - c.sums.cached // if some are pending, they are among them
		c.isCrowded = c.memory*10 > live*crowdedTenths
	}
	if c.isCrowded {
		return crowded
	}
	return scarce
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
	return c.back.Usage().Occupied <= c.memory/2
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
