package slabs

import (
	"math/bits"
	"slices"
)

// addSlab takes a slab for a processor from any chunk, those of the caller's first. It returns nil if there is no room. c.mu is
// held.
func (c *Core) addSlab(d *procCache, b int) *slab {
	n := c.blocksOf(c.bins[b], c.reach)
	if n == 0 {
		return nil
	}
	c.spent.Store(false) // before memory is missing in the suballocator behind
	slot, off, ok := c.back.AllocAny(n*c.bins[b], c.slabAlign(n*c.bins[b]))
	if !ok {
		return nil
	}
	defer c.moves.Add(1)
	if c.params.Counters {
		c.allocated++
	}
	s := c.newSlab(b, n)
	s.slot, s.off, s.pos, s.changes = slot, off, len(c.slabs[b]), &d.changes
	if !d.used {
		d.used, d.changes.spent = true, &c.spent
		c.users = append(c.users, d)
	}
	s.addr = c.chunks.At(slot).base + off
	if !c.setPages(s) { // before a block of it is handed out
		c.back.Free(s.addr, s.room)
		return nil
	}
	c.slabs[b] = append(c.slabs[b], s)
	c.noteCommon(b)
	_, s.taken, _ = c.back.Around(s.addr)
	c.count++
	c.bytes += s.room
	c.taken += s.taken
	c.dropGone()
	c.register(s)
	d.bins[b].add(s, c.mostLines(b))
	return s
}

// slabAlign returns the alignment of a slab of so many bytes. In a range with pages of memory, no slab lies across two of them, so it keeps no page but its own.
func (c *Core) slabAlign(bytes uint64) uint64 {
	if !c.paged || bytes <= page {
		return page
	}
	return 1 << bits.Len64(bytes-1)
}

// all returns all slabs that are not dissolved. c.mu is held.
func (c *Core) all() []*slab { return slices.Concat(c.slabs...) }

// removeSlab removes a sealed slab from all lists. c.mu is held.
func (c *Core) removeSlab(s *slab) {
	list := c.slabs[s.bin]
	last := list[len(list)-1]
	list[s.pos], last.pos = last, s.pos
	list[len(list)-1] = nil
	c.slabs[s.bin] = list[:len(list)-1]
	c.noteCommon(s.bin)
	s.in.remove(s)
	for i := range c.procCaches {
		if open := &c.procCaches[i].bins[s.bin].open; open.Load() == s { // others keep their cache lines
			open.CompareAndSwap(s, nil)
		}
	}
	if c.params.Counters {
		c.retired.Allocs += s.handedOut()
	}
	c.setGone(s)
}

// releaseEmpty gives back all slabs without a live block, and reports whether there were any. It looks at those that have changed since it
// looked last. c.mu is held.
func (c *Core) releaseEmpty() bool { return c.releaseEmptyIf(func(*slab) bool { return true }) }

// releaseEmptyIf is releaseEmpty for the slabs that a function selects.
func (c *Core) releaseEmptyIf(of func(*slab) bool) (any bool) {
	c.readChanges(every)
	slices.SortFunc(c.lists.unchecked, inOrder)
	c.lists.unchecked = slices.DeleteFunc(c.lists.unchecked, func(s *slab) bool {
		if s.phase == serving && !of(s) {
			return false
		}
		any = c.releaseIfEmpty(s) || any
		return true
	})
	return any
}

// releaseSome is releaseEmpty for up to n of the slabs that have changed. It returns how many were given back. c.mu is held.
func (c *Core) releaseSome(n int) (released int) {
	c.readChanges(1 + n/max(1, len(c.users)))
	list := c.lists.unchecked
	n = min(n, len(list))
	for _, s := range list[:n] {
		if c.releaseIfEmpty(s) {
			released++
		}
	}
	c.lists.unchecked = list[n:]
	return released
}

// releaseIfEmpty gives back a slab without a live block, and reports whether it is one. The caller takes the slab off lists.unchecked. c.mu is held.
func (c *Core) releaseIfEmpty(s *slab) bool {
	s.isUnchecked = false
	if s.phase != serving || !s.seal() {
		return false
	}
	c.removeSlab(s)
	c.clearPages(s)
	c.count--
	c.bytes -= s.room
	c.taken -= s.taken
	c.back.Free(s.addr, s.room)
	c.moves.Add(1)
	return true
}
