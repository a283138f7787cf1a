package slabs

import (
	"slices"

	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/templates/feature"
)

// What stands here is called under the lock.

// fetch gets a slab for the caller's processor: from near, or else from wherever there is room. It returns nil if there is none.
func (c *Core) fetch(b int, anywhere bool) *slab {
	room := roomOf(bins[b], c.reach)
	if room == 0 {
		return nil
	}
	var slot uint32
	var off uint64
	var ok bool
	if anywhere {
		slot, off, ok = c.back.Search(room, page)
	} else {
		slot, off, ok = c.back.Alloc(room, page)
	}
	if !ok {
		return nil
	}
	s := newSlab(b, room/bins[b], room)
	s.slot, s.off, s.rank = slot, off, len(c.slabs[b])
	s.desk = &c.desks[runtime.Proc()%maxDesks]
	s.addr = c.base(slot) + off
	c.slabs[b] = append(c.slabs[b], s)
	c.count++
	if feature.Counters {
		c.made++
	}
	c.bytes += room
	c.paint(s, s) // before anybody can have a block of it
	s.desk.bins[b].put(s)
	return s
}

// base returns where a chunk starts.
func (c *Core) base(slot uint32) uint64 {
	t := c.chart.Load()
	return t.starts[slices.IndexFunc(t.chunks, func(ch chunk) bool { return ch.slot == slot })]
}

// drop gives a slab up, which is sealed.
func (c *Core) drop(s *slab) {
	list := c.slabs[s.bin]
	last := list[len(list)-1]
	list[s.rank], last.rank = last, s.rank
	list[len(list)-1] = nil
	c.slabs[s.bin] = list[:len(list)-1]
	s.desk.bins[s.bin].shelf.Load().remove(s)
	for i := range c.desks {
		c.desks[i].bins[s.bin].open.CompareAndSwap(s, nil)
	}
	c.paint(s, nil)
	if feature.Counters {
		c.spent.Allocs += s.handedOut()
	}
	c.count--
	c.bytes -= s.room
}

// shed gives all slabs back that have no live block, and reports whether there were any.
func (c *Core) shed() bool { return c.shedFrom(func(*slab) bool { return true }) }

// shedFrom gives those among some slabs back.
func (c *Core) shedFrom(of func(*slab) bool) (any bool) {
	for b := range c.slabs {
		for _, s := range slices.Clone(c.slabs[b]) {
			if of(s) && s.seal() {
				c.drop(s)
				c.back.Free(s.addr, s.room)
				any = true
			}
		}
	}
	return any
}
