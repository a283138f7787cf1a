package ring

import "math/bits"

// file puts an arena on the shelf according to its room, or takes it off when it has none.
func (c *Core) file(a *arena) {
	room := a.room()
	if room >= c.barren {
		c.barren = 0
	}
	bin := bits.Len64(room)
	if bin == a.bin {
		return
	}
	c.unfile(a)
	if bin == 0 {
		return
	}
	first := &c.shelf[bin-1]
	a.bin, a.next = bin, *first
	if a.next != nil {
		a.next.prev = a
	}
	*first = a
	c.filled |= 1 << (bin - 1)
}

// unfile takes an arena off the shelf if it lies there.
func (c *Core) unfile(a *arena) {
	if a.bin == 0 {
		return
	}
	if a.next != nil {
		a.next.prev = a.prev
	}
	if a.prev != nil {
		a.prev.next = a.next
	} else if c.shelf[a.bin-1] = a.next; a.next == nil {
		c.filled &^= 1 << (a.bin - 1)
	}
	a.bin, a.prev, a.next = 0, nil, nil
}

// turn makes another arena the current one.
func (c *Core) turn(a *arena) {
	if c.home != nil {
		if c.now.oldest != c.now.newest {
			c.chunks[c.now.slot].busy++
		}
		*c.home = c.now
		c.move(&c.now, c.home)
		c.file(c.home)
	}
	if a.oldest != a.newest {
		c.chunks[a.slot].busy--
	}
	c.unfile(a)
	c.home, c.now, *a = a, *a, arena{}
	c.move(a, &c.now)
}

// move tells those who know an arena that it lies elsewhere now.
func (c *Core) move(from, to *arena) {
	c.chunks[to.slot].arenas[to.start/arenaSize] = to
	if c.last == from {
		c.last = to
	}
}

// find returns an arena other than the current one that can serve a request; nil if there is none.
func (c *Core) find(bytes, align uint64) *arena {
	if bytes == 0 || bytes > arenaSize {
		return nil
	}
	if c.barren == 0 || bytes < c.barren {
		if a := c.choose(bytes, align); a != nil {
			return a
		}
		if align <= granule {
			c.barren = bytes
		}
	}
	return c.open(bytes, align)
}

// choose looks on the shelf. It tries the arenas with the most room first: they last longest, and those that are drained
// become empty. Only among those with less than twice the room asked for can there be some that do not fit.
func (c *Core) choose(bytes, align uint64) *arena {
	least := bits.Len64(bytes) - 1
	for bins := c.filled >> least << least; bins != 0; {
		bin := bits.Len64(bins) - 1
		bins &^= 1 << bin
		for a := c.shelf[bin]; a != nil; a = a.next {
			if a.canServe(bytes, align) {
				return a
			}
		}
	}
	return nil
}
