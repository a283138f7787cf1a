package slabs

import (
	"slices"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
	core "github.com/poolgen/poolgen/templates/shards"
)

// What stands here is called under the lock.

// addSlab gets a slab for the caller's processor: from what is near it or, if that may be anywhere, from wherever there is room. It returns nil if there is none.
func (c *Core) addSlab(b int, anywhere bool) *slab {
	n := blocksOf(bins[b], c.reach)
	if n == 0 {
		return nil
	}
	var slot uint32
	var off uint64
	var ok bool
	if anywhere {
		slot, off, ok = c.back.AllocAny(n*bins[b], page)
	} else {
		slot, off, ok = c.back.Alloc(n*bins[b], page)
	}
	if !ok {
		return nil
	}
	if feature.Counters {
		c.allocated++
	}
	s := newSlab(b, n)
	s.slot, s.off, s.rank = slot, off, len(c.slabs[b])
	s.procCache = &c.procCaches[poolimpl.Proc()%maxProcCaches]
	t, at := c.chunkOf(slot)
	s.addr = t.starts[at] + off
	if !c.setPages(s) { // before a block of it is handed out
		c.back.Free(s.addr, s.room)
		return nil
	}
	c.slabs[b] = append(c.slabs[b], s)
	_, s.taken, _ = core.Around(&c.back, s.addr)
	c.count++
	c.bytes += s.room
	c.taken += s.taken
	s.procCache.bins[b].add(s)
	return s
}

// all lists the slabs.
func (c *Core) all() []*slab { return slices.Concat(c.slabs[:]...) }

// removeSlab takes a slab off all lists, which is sealed.
func (c *Core) removeSlab(s *slab) {
	list := c.slabs[s.bin]
	last := list[len(list)-1]
	list[s.rank], last.rank = last, s.rank
	list[len(list)-1] = nil
	c.slabs[s.bin] = list[:len(list)-1]
	s.procCache.bins[s.bin].list.Load().remove(s)
	for i := range c.procCaches {
		c.procCaches[i].bins[s.bin].open.CompareAndSwap(s, nil)
	}
	if feature.Counters {
		c.retired.Allocs += s.handedOut()
	}
}

// releaseEmpty gives all slabs back that have no live block, and reports whether there were any.
func (c *Core) releaseEmpty() bool { return c.releaseEmptyIf(func(*slab) bool { return true }) }

// releaseEmptyIf gives those among some slabs back.
func (c *Core) releaseEmptyIf(of func(*slab) bool) (any bool) {
	for _, s := range c.all() {
		if of(s) && s.seal() {
			c.removeSlab(s)
			c.clearPages(s)
			c.count--
			c.bytes -= s.room
			c.taken -= s.taken
			c.back.Free(s.addr, s.room)
			any = true
		}
	}
	return any
}
