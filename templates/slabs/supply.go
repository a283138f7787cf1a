package slabs

import (
	"slices"

	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/templates/feature"
	core "github.com/poolgen/poolgen/templates/shards"
)

// What stands here is called under the lock.

// fetch gets a slab for the caller's processor: from what is near it or, if that may be anywhere, from wherever there is room. It returns nil if there is none.
func (c *Core) fetch(b int, anywhere bool) *slab {
	n := blocksOf(bins[b], c.reach)
	if n == 0 {
		return nil
	}
	var slot uint32
	var off uint64
	var ok bool
	if anywhere {
		slot, off, ok = c.back.Search(n*bins[b], page)
	} else {
		slot, off, ok = c.back.Alloc(n*bins[b], page)
	}
	if !ok {
		return nil
	}
	if feature.Counters {
		c.made++
	}
	s := newSlab(b, n)
	s.slot, s.off, s.rank = slot, off, len(c.slabs[b])
	s.desk = &c.desks[runtime.Proc()%maxDesks]
	t, at := c.chunkOf(slot)
	s.addr = t.starts[at] + off
	if !c.paint(s) { // before anybody can have a block of it
		c.back.Free(s.addr, s.room)
		return nil
	}
	c.slabs[b] = append(c.slabs[b], s)
	_, s.taken, _ = core.Around(&c.back, s.addr)
	c.count++
	c.bytes += s.room
	c.taken += s.taken
	s.desk.bins[b].put(s)
	return s
}

// all lists the slabs.
func (c *Core) all() []*slab { return slices.Concat(c.slabs[:]...) }

// strike takes a slab off all lists, which is sealed.
func (c *Core) strike(s *slab) {
	list := c.slabs[s.bin]
	last := list[len(list)-1]
	list[s.rank], last.rank = last, s.rank
	list[len(list)-1] = nil
	c.slabs[s.bin] = list[:len(list)-1]
	s.desk.bins[s.bin].shelf.Load().remove(s)
	for i := range c.desks {
		c.desks[i].bins[s.bin].open.CompareAndSwap(s, nil)
	}
	if feature.Counters {
		c.spent.Allocs += s.handedOut()
	}
}

// shed gives all slabs back that have no live block, and reports whether there were any.
func (c *Core) shed() bool { return c.shedFrom(func(*slab) bool { return true }) }

// shedFrom gives those among some slabs back.
func (c *Core) shedFrom(of func(*slab) bool) (any bool) {
	for _, s := range c.all() {
		if of(s) && s.seal() {
			c.strike(s)
			c.erase(s)
			c.count--
			c.bytes -= s.room
			c.taken -= s.taken
			c.back.Free(s.addr, s.room)
			any = true
		}
	}
	return any
}
