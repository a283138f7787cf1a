package fixed

import "github.com/poolgen/poolgen/runtime/poolimpl"

// chunk is the state of one chunk. Its first blocks are carved; the others are fresh: they were never used.
type chunk struct {
	span   *span
	first  uint64 // number of the first block
	blocks uint64
	carved uint64
	free   uint64 // number of blocks on the list
	head   uint32 // the list of those carved blocks that are neither live nor at hand
	slot   uint32
	place  uint32
}

// refusal returns the verdict on a free of the block with a number, which is not live.
func (ch *chunk) refusal(number uint64) poolimpl.Verdict {
	if number-ch.first < ch.blocks {
		return poolimpl.Double
	}
	return poolimpl.Foreign
}

// entries returns the entries of the carved blocks.
func (ch *chunk) entries() []uint32 {
	if ch.carved == 0 {
		return nil
	}
	return ch.span.next[ch.first:][:ch.carved]
}

// Refill looks for blocks when the list at hand is empty, and reports whether the list has blocks afterwards. A chunk with freed blocks comes first: that of the
// lowest place, so those of high places drain. Where no chunk has freed blocks, Refill carves up to n fresh ones; the caller must take all of them, as they count
// in the peak.
func (c *Core) Refill(n uint64) bool {
	if c.paced() && c.admit(n) {
		return true
	}
	if place, ok := c.listed.first(); ok {
		switch ch := c.places[place]; {
		case !c.paced():
			c.take(ch, turn)
		case ch.span.ranged:
			c.take(ch, min(turn, max(n, c.peak-c.live())))
			c.peak = max(c.peak, c.live()+c.atHand())
		default:
			c.take(ch, turn)
			c.withholdAll()
			c.admit(n)
		}
		return true
	}
	place, ok := c.fresh.first()
	if ok {
		c.carve(c.places[place], n)
	}
	return ok
}

// take brings blocks to hand that were freed: all of a chunk or, in a range, as many as most.
func (c *Core) take(ch *chunk, most uint64) {
	c.bring(ch)
	head, n := ch.head, ch.free
	if ch.span.ranged && n > most {
		n = most
		last := head
		for range n - 1 {
			last = ch.span.next[last]
		}
		ch.head, ch.span.next[last] = ch.span.next[last], none
	} else {
		ch.head = none
		c.listed.drop(ch.place)
	}
	ch.free -= n
	c.setAtHand(head, n)
	if ch.span.ranged {
		c.reach(ch)
	} else {
		c.arm() // after the blocks have left the list, as their number counts
	}
}

// bring makes the span of a chunk the one at hand.
func (c *Core) bring(ch *chunk) {
	if !ch.span.ranged {
		c.use(ch.span, ch)
	} else if c.span != ch.span {
		c.use(ch.span, nil)
		c.arm()
	}
}

// carve brings fresh blocks to hand, at most n.
func (c *Core) carve(ch *chunk, n uint64) {
	n = min(n, ch.blocks-ch.carved)
	start := ch.first + ch.carved
	ch.span.extend(start+n, ch.blocks, c.places)
	ch.carved += n
	c.bring(ch)
	c.List.Next = ch.span.next
	fresh := ch.span.next[start : start+n]
	for i := range fresh[1:] {
		fresh[i] = uint32(start) + uint32(i) + 1
	}
	fresh[n-1] = none
	c.setAtHand(uint32(start), n)
	if c.params.Handles {
		c.Gens = c.ages(start+n, max(ch.blocks, uint64(len(ch.span.room))))
	}
	if ch.span.ranged {
		c.reach(ch)
	} else {
		c.arm()
	}
	if ch.carved == ch.blocks {
		c.fresh.drop(ch.place)
	}
	if c.params.Counters {
		c.peak = max(c.peak, c.live()+n)
	}
}

// extend makes room for the entries of n blocks. The array of a chunk at least doubles, up to all blocks. So does that of a range while it is short: fresh memory of
// the system costs more than to copy a few entries.
func (s *span) extend(n, blocks uint64, chunks []*chunk) {
	switch room := max(n, 2*uint64(len(s.next)), 64); {
	case n <= uint64(cap(s.next)):
	case !s.ranged:
		s.next = append(make([]uint32, 0, min(room, blocks)), s.next...)
	case room <= shortRange && room <= uint64(len(s.room)):
		s.next = append(make([]uint32, 0, room), s.next...)
	default:
		for _, ch := range chunks {
			if ch != nil && ch.span == s { // not the entries between chunks: they may only be read
				copy(s.room[ch.first:], ch.entries())
			}
		}
		s.next = s.room[:len(s.next)]
	}
	if n > uint64(len(s.next)) {
		s.next = s.next[:n]
	}
}

// shortRange is how many entries a range has outside the memory for them.
const shortRange = 1 << 14
