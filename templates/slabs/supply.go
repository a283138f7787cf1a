package slabs

import "slices"

// What stands here is called under the lock.

// fetch gets a slab for a processor: from near, or else from wherever there is room. It returns nil if there is none.
func (c *Core) fetch(d *desk, b int, anywhere bool) *slab {
	n := blocksOf(bins[b], c.reach)
	if n == 0 {
		return nil
	}
	room := n * bins[b]
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
	s := newSlab(b, n)
	s.slot, s.off, s.place = slot, off, len(c.slabs[b])
	s.addr = c.base(slot) + off
	c.slabs[b] = append(c.slabs[b], s)
	c.count++
	c.made++
	c.bytes += room
	c.paint(s, s)
	d.join(s)
	return s
}

// base returns where a chunk starts.
func (c *Core) base(slot uint32) uint64 {
	t := c.chart.Load()
	return t.starts[slices.IndexFunc(t.chunks, func(ch chunk) bool { return ch.slot == slot })]
}

// join makes a slab the one that the desk starts at, in a ring with those of before.
func (d *desk) join(s *slab) {
	after := d.open[s.bin].Load()
	if after == nil {
		after = s
		s.next.Store(s)
	} else {
		s.next.Store(after.next.Load())
	}
	s.prev = after
	s.next.Load().prev = s
	after.next.Store(s)
	d.open[s.bin].Store(s)
}

// drop gives a slab up, which is sealed. Who is on the way past it still finds the next one.
func (c *Core) drop(s *slab) {
	next := s.next.Load()
	next.prev = s.prev
	s.prev.next.Store(next)
	if next == s {
		next = nil
	}
	list := c.slabs[s.bin]
	last := list[len(list)-1]
	list[s.place], last.place = last, s.place
	list[len(list)-1] = nil
	c.slabs[s.bin] = list[:len(list)-1]
	for i := range c.desks {
		c.desks[i].open[s.bin].CompareAndSwap(s, next)
	}
	c.paint(s, nil)
	c.spent.Allocs += s.lost.Load()
	for w := range uint64(s.words) {
		c.spent.Allocs += s.word(w).Load() &^ sealed / once
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
