package fixed

// span is a stretch of addresses whose blocks have consecutive numbers: one chunk or, in a range, all chunks of it.
type span struct {
	base   uint64
	slot   uint32   // offsets of blocks count from the start of this
	next   []uint32 // by number, up to the last carved block: the next block of the list, or [Used]
	ranged bool     // it may have several chunks
	room   []uint32 // where next lies in a range once it is long; it has the length of the range
}

// use makes the blocks of a span those at hand, when there are none. They are all of chunk current, or of any of a range.
func (c *Core) use(s *span, current *chunk) {
	c.span, c.current, c.Slot = s, current, s.slot
	c.List.Next = s.next
}

// atHand returns the number of blocks at hand.
func (c *Core) atHand() uint64 { return c.surplus - (c.Handed - c.Returned) }

// setAtHand sets the list at hand, and the number of its blocks.
func (c *Core) setAtHand(head uint32, n uint64) {
	c.List.Head, c.surplus = head, n+(c.Handed-c.Returned)
}

// arm lets the fast path free blocks of the span at hand: of the current chunk, except the last live one if it has to be told, or of the lowest chunks of a range.
func (c *Core) arm() {
	c.Base, c.Near = c.span.base, c.span.next
	switch {
	case c.span.ranged:
		c.Near, c.Due = c.Near[:c.enough()], c.Returned+turn
	case c.params.Trims:
		c.Due = c.Returned + max(c.liveIn(c.current), 1) - 1
	default:
		c.Due = c.Returned - 1 // never
	}
}

// disarm keeps the fast path from freeing for some time, as blocks of other chunks than the current one are being freed.
func (c *Core) disarm() { c.Near, c.Due = nil, c.Returned+period }

// period is the number of frees after which the fast path is tried again. It is large enough that wrong guesses cost little, and small enough that
// blocks that are all of one chunk again are soon freed fast.
const period = 64
