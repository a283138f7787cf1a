package ring

import "math/bits"

// insertArena moves an arena to the list for its room, or removes it from its list if it has none.
func (c *Core) insertArena(a *arena) {
	room := a.room()
	if room >= c.noFitFrom {
		c.noFitFrom = 0
	}
	bin := bits.Len64(room)
	if bin == a.bin {
		return
	}
	c.removeArena(a)
	if bin == 0 {
		return
	}
	first := &c.arenasBySize[bin-1]
	a.bin, a.next = bin, *first
	if a.next != nil {
		a.next.prev = a
	}
	*first = a
	c.filled |= 1 << (bin - 1)
}

// removeArena removes an arena from its list, if it is in one.
func (c *Core) removeArena(a *arena) {
	if a.bin == 0 {
		return
	}
	if a.next != nil {
		a.next.prev = a.prev
	}
	if a.prev != nil {
		a.prev.next = a.next
	} else if c.arenasBySize[a.bin-1] = a.next; a.next == nil {
		c.filled &^= 1 << (a.bin - 1)
	}
	a.bin, a.prev, a.next = 0, nil, nil
}

// makeCurrent makes another arena the current one. The state of the old one goes back to where it came from.
func (c *Core) makeCurrent(a *arena) {
	if c.home != nil {
		if c.current.oldest != c.current.newest {
			c.chunks[c.current.slot].busy++
		}
		*c.home = c.current
		c.move(&c.current, c.home)
		c.insertArena(c.home)
	}
	if a.oldest != a.newest {
		c.chunks[a.slot].busy--
	}
	c.removeArena(a)
	c.home, c.current, *a = a, *a, arena{}
	c.move(a, &c.current)
}

// move updates the pointers to an arena whose state has moved.
func (c *Core) move(from, to *arena) {
	c.chunks[to.slot].arenas[to.start/c.params.ArenaSize] = to
	if c.last == from {
		c.last = to
	}
}

// find returns an arena other than the current one that can serve a request, or nil if there is none.
func (c *Core) find(bytes, align uint64) *arena {
	if bytes == 0 || bytes > c.params.ArenaSize {
		return nil
	}
	if c.noFitFrom == 0 || bytes < c.noFitFrom {
		if a := c.choose(bytes, align); a != nil {
			return a
		}
		if align-1 <= c.mask {
			c.noFitFrom = bytes
		}
	}
	return c.newArena(bytes, align)
}

// choose returns an arena from the lists that can serve a request, or nil if there is none. It tries the lists with the most room first:
// these arenas last longest. If align is at most the granule, all arenas fit, except those of the last list, which have less than twice
// the room asked for.
func (c *Core) choose(bytes, align uint64) *arena {
	least := bits.Len64(bytes) - 1
	for bins := c.filled >> least << least; bins != 0; {
		bin := bits.Len64(bins) - 1
		bins &^= 1 << bin
		for a := c.arenasBySize[bin]; a != nil; a = a.next {
			if a.canServe(bytes, align) {
				return a
			}
		}
	}
	return nil
}
