package fixed

import "math/bits"

// In a range, one list could serve all blocks. But then blocks would be handed out again wherever they were freed, and hardly a chunk would ever be empty, as
// most have a live block. So the fast path frees only blocks of the lowest chunks: as many as have room for the blocks that are live. What is freed in higher chunks
// goes on the lists of those, which are taken from once there is nothing else; they drain. What are the lowest chunks changes with the number of live blocks, and
// what lies at hand comes from all of them. So after each turn of the fast path, which is a number of frees, the list at hand is sorted out by chunks, and the
// blocks of the lowest ones come first again. That costs some nanoseconds a block, and leaves out no block: until the next turn, each chunk knows how many of its
// blocks are live.

// turn is the number of frees after which the blocks at hand are sorted out, and how many blocks of a chunk come to hand at once.
const turn = 1024

// Step implements [poolimpl.RangeCore]: a range has a block at each multiple of it.
func (c *Core) Step() uint64 { return c.params.BlockSize }

// Range implements [poolimpl.RangeCore].
func (c *Core) Range(slot uint32, base, step uint64, entries []uint32) {
	c.room = &span{base: base, slot: slot, ranged: true, room: entries}
	c.perStep = step / c.params.BlockSize
	c.placing = ^uint64(0)/c.perStep + 1
}

// chunkOf returns the chunk of a block of the range. The product is exact for numbers of 32 bits (Lemire and others, Faster Remainder by Direct Computation, 2019).
func (c *Core) chunkOf(number uint32) *chunk {
	place, _ := bits.Mul64(c.placing, uint64(number))
	return c.places[place]
}

// endTurn ends a turn.
func (c *Core) endTurn() {
	if c.inRange > 1 {
		c.sortOut()
	}
	c.arm()
}

// sortOut moves the blocks at hand to the lists of their chunks, in a range. There are at most those of two turns, but for what large batches have freed.
func (c *Core) sortOut() {
	if c.span == nil || !c.span.ranged {
		return
	}
	next, h := c.span.next, c.List.Head
	for uint64(h) < uint64(len(next)) {
		ch := c.chunkOf(h)
		h, next[h], ch.head = next[h], ch.head, h
		if ch.free++; ch.free == 1 {
			c.listed.set(ch.place)
		}
	}
	c.setAtHand(none, 0)
}

// enough returns the number behind the last block that the fast path frees in a range, after the blocks were sorted out: the lowest chunks with so many carved
// blocks have room for an eighth more than are live, and for those of a turn.
func (c *Core) enough() (end uint64) {
	live := c.Handed - c.Returned
	for want, place := live+live/8+turn, 0; place < len(c.places) && want > 0; place++ {
		if ch := c.places[place]; ch != nil && ch.span == c.span && ch.place == uint32(place) && ch.carved > 0 {
			want -= min(want, ch.carved)
			end = max(end, ch.first+ch.carved)
		}
	}
	return end
}

// reach makes the fast path free blocks of a chunk of the range, of which blocks are handed out next.
func (c *Core) reach(ch *chunk) {
	c.Near = c.span.next[:max(uint64(len(c.Near)), ch.first+ch.carved)]
}
