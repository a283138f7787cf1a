package bump

// Mark is a point in the order of allocations, for [Core.Release]. It is valid until blocks allocated before it are freed. The zero value is not valid.
type Mark struct {
	core   *Core
	index  int
	serial uint64
}

// spot is the state at a mark. Spots are in ascending order, so freeing blocks removes spots from the end. A mark whose spot was removed differs
// from a later mark in the serial number.
type spot struct {
	serial uint64
	at     int    // index of the current chunk in the row
	off    uint64 // bytes in use in the current chunk
	live   uint64
	bytes  uint64
}

// Mark returns a mark for [Core.Release]. Costs O(1), and 40 bytes until the mark becomes invalid. Marks without an allocation between them
// share the bytes.
func (c *Core) Mark() Mark {
	here := spot{serial: c.serial, at: c.at, off: c.taken(), live: c.live(), bytes: c.bytes}
	last := len(c.places) - 1
	if last < 0 || c.places[last].live != here.live {
		c.serial++
		here.serial = c.serial
		c.places = append(c.places, here)
		last++
	}
	return Mark{core: c, index: last, serial: c.places[last].serial}
}

// Release frees all blocks allocated since m, which stays valid. Costs O(1). It changes nothing and reports false if m is a mark of another
// suballocator, or not valid: after Reset, or Release of an earlier mark.
func (c *Core) Release(m Mark) bool {
	if m.core != c || m.index >= len(c.places) || c.places[m.index].serial != m.serial {
		return false
	}
	to := c.places[m.index]
	c.rewind(c.allocs-to.live, to.bytes)
	c.places = c.places[:m.index+1]
	c.makeCurrent(to.at)
	c.next += to.off
	return true
}
