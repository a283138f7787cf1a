package bump

// Mark is a place to go back to. It is valid until blocks from before it are given back; the zero Mark never is.
//
//poolgen:if marks
type Mark struct {
	core   *Core
	index  int
	serial uint64
}

// spot is what is known of a place. The places stand in ascending order, so that giving back blocks
// cuts off the end; the serial number tells a mark whose place was cut off from one made later.
//
//poolgen:if marks
type spot struct {
	serial uint64
	at     int
	off    uint64
	live   uint64
	bytes  uint64
}

// Mark remembers the present state for [Core.Release]. Costs O(1), and 40 bytes until the place is given
// back, unless nothing was handed out since the mark before.
//
//poolgen:if marks
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

// Release frees every block handed out since m, in constant time. It refuses, changing nothing, a mark of
// another suballocator and one whose place was given back itself: by Reset, or by Release of an earlier mark. m stays valid.
//
//poolgen:if marks
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
