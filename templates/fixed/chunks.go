package fixed

import (
	"math/bits"
	"slices"

	"github.com/poolgen/poolgen/templates/feature"
)

// Add makes a chunk available. The chunk may be smaller than a block. The engine adds none with more blocks than an index can number.
func (c *Core) Add(slot uint32, base, size uint64) {
	if size/blockSize > uint64(pending) {
		panic("poolgen: chunk has more blocks than its index can number")
	}
	ch := &chunk{list: List{head: none}, base: base, blocks: size / blockSize}
	if single {
		c.current, c.list = ch, ch.list
		if feature.Handles {
			c.list.gens = c.ages(0)
		}
		c.tryFast()
	} else {
		ch.slot = slot
		c.addChunk(ch, size)
	}
}

// addChunk adds a chunk to those that the pool has.
//
//poolgen:if !single
func (c *Core) addChunk(ch *chunk, size uint64) {
	slot := ch.slot
	c.where.Add(slot, ch.base, size)
	if joins {
		c.joint.stale = true
	}
	for len(c.chunks) <= int(slot) {
		if len(c.chunks)%64 == 0 {
			c.partial = append(c.partial, 0)
		}
		c.chunks = append(c.chunks, nil)
	}
	c.chunks[slot] = ch
	if ch.blocks > 0 {
		c.fresh = append(c.fresh, slot)
	}
	if c.current == nil {
		c.makeCurrent(ch)
	}
}

// Remove removes an empty chunk. Costs O(chunks).
func (c *Core) Remove(slot uint32) {
	if single {
		c.current, c.list, c.near = nil, List{}, nil
		if paced {
			c.withheldCount = 0
		}
	} else {
		c.removeChunk(slot)
	}
}

// removeChunk removes a chunk from those that the pool has. If it is the current one, the first other chunk becomes the current one.
//
//poolgen:if !single
func (c *Core) removeChunk(slot uint32) {
	if joins {
		c.part()
		c.separate()
	}
	ch := c.chunks[slot]
	c.where.Remove(slot)
	c.chunks[slot] = nil
	c.partial[slot/64] &^= 1 << (slot % 64)
	c.fresh = slices.DeleteFunc(c.fresh, func(s uint32) bool { return s == slot })
	if ch != c.current {
		return
	}
	c.count()
	c.current, c.list, c.near = nil, List{}, nil
	if i := slices.IndexFunc(c.chunks, func(ch *chunk) bool { return ch != nil }); i >= 0 {
		c.makeCurrent(c.chunks[i])
	}
	if paced {
		c.withholdAll()
	}
}

// nextChunk makes a chunk with freed blocks the current one and returns true. If there is none, it takes one with fresh blocks and returns
// false. Of several with freed blocks it takes the one of the lowest slot, so those of high slots drain.
//
//poolgen:if !single
func (c *Core) nextChunk() bool {
	if ch := c.firstPartial(); ch != nil {
		c.makeCurrent(ch)
		return true
	}
	if last := len(c.fresh) - 1; last >= 0 && c.chunks[c.fresh[last]] != c.current {
		c.makeCurrent(c.chunks[c.fresh[last]])
	}
	return false
}

// firstPartial returns the first chunk whose list has blocks, nil if there is none.
//
//poolgen:if !single
func (c *Core) firstPartial() *chunk {
	for ; int(c.lowest) < len(c.partial); c.lowest++ {
		if w := c.partial[c.lowest]; w != 0 {
			return c.chunks[c.lowest*64+uint32(bits.TrailingZeros64(w))]
		}
	}
	return nil
}

// makeCurrent makes a chunk the current one, when the list of that is empty.
//
//poolgen:if !single
func (c *Core) makeCurrent(ch *chunk) {
	if c.current != nil {
		c.count()
	}
	c.current, c.slot, c.list, ch.list.head = ch, ch.slot, ch.list, none
	if joins {
		c.start = ch.base
	}
	c.partial[ch.slot/64] &^= 1 << (ch.slot % 64)
	c.tryFast()
}

// tryFast makes FreeFast serve the current chunk.
func (c *Core) tryFast() {
	c.base, c.near = c.state().base, c.list.next
	if joins {
		c.accepts = used
	}
}

// state returns the state of the current chunk. If there is none, it is that of a chunk without blocks.
func (c *Core) state() *chunk {
	if c.current == nil {
		return new(chunk)
	}
	return c.current
}

// chunkIn returns the chunk of a slot.
func (c *Core) chunkIn(slot uint32) *chunk {
	if single {
		return c.state()
	} else {
		return c.chunks[slot]
	}
}
