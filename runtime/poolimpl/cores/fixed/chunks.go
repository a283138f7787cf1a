package fixed

// Add makes a chunk available. The chunk may be smaller than a block. The engine adds none with more blocks than an index can number. In a range, chunks start at
// multiples of its step, and their entries are 0.
func (c *Core) Add(slot uint32, base, size uint64) {
	blocks := size / c.params.BlockSize
	if blocks > uint64(pending) {
		panic("poolgen: chunk has more blocks than its index can number")
	}
	ch := &chunk{blocks: blocks, head: none, slot: slot, place: slot}
	if r := c.room; r != nil && base-r.base < uint64(len(r.room))*c.params.BlockSize {
		ch.span, ch.first = r, c.numbers.Of(base-r.base)
		ch.place = uint32(ch.first / c.perStep)
	} else {
		ch.span = &span{base: base, slot: slot}
		if r != nil {
			ch.place += uint32(uint64(len(r.room)) / c.perStep) // behind those of the range
		}
	}
	if c.params.Handles {
		c.Gens = c.ages(0, 0)
	}
	c.where.Add(slot, base, size)
	c.chunks = put(c.chunks, slot, ch)
	c.places = put(c.places, ch.place, ch)
	if ch.span.ranged { // a chunk longer than a step takes up several places
		c.inRange++
		for n := c.perStep; n < blocks; n += c.perStep {
			c.places = put(c.places, ch.place+uint32(n/c.perStep), ch)
		}
	}
	c.listed.reach(ch.place)
	c.fresh.reach(ch.place)
	if blocks > 0 {
		c.fresh.set(ch.place)
	}
	if c.span == nil {
		c.setAtHand(none, 0)
		c.bring(ch)
		c.arm()
	}
}

// put stores a chunk in a list.
func put(list []*chunk, at uint32, ch *chunk) []*chunk {
	for uint32(len(list)) <= at {
		list = append(list, nil)
	}
	list[at] = ch
	return list
}

// Remove removes an empty chunk. Blocks of it that are at hand go with it.
func (c *Core) Remove(slot uint32) {
	ch := c.chunks[slot]
	c.sortOut()
	c.where.Remove(slot)
	c.chunks[slot] = nil
	for i := ch.place; i < uint32(len(c.places)) && c.places[i] == ch; i++ {
		c.places[i] = nil
	}
	if ch.span.ranged {
		c.inRange--
	}
	c.listed.drop(ch.place)
	c.fresh.drop(ch.place)
	if ch == c.current {
		c.span, c.current, c.List, c.Near, c.withheldCount = nil, nil, List{}, nil, 0
		c.setAtHand(none, 0)
		c.Due = c.Returned - 1
	}
}
