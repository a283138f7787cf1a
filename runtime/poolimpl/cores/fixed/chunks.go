package fixed

import (
	"math/bits"
	"slices"
)

// Add makes a chunk available. The chunk may be smaller than a block. The engine adds none with more blocks than an index can number.
func (c *Core) Add(slot uint32, base, size uint64) {
	if size/c.params.BlockSize > uint64(pending) {
		panic("poolgen: chunk has more blocks than its index can number")
	}
	ch := &Chunk{list: List{Head: none}, base: base, blocks: size / c.params.BlockSize, slot: slot}
	if c.params.Handles {
		c.Gens = c.ages(0)
	}
	c.where.Add(slot, base, size)
	c.joint.stale = true
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
	if c.Current == nil {
		c.makeCurrent(ch)
	}
}

// Remove removes an empty chunk. If it is the current one, the first other chunk becomes the current one. Costs O(chunks).
func (c *Core) Remove(slot uint32) {
	c.part()
	c.separate()
	ch := c.chunks[slot]
	c.where.Remove(slot)
	c.chunks[slot] = nil
	c.partial[slot/64] &^= 1 << (slot % 64)
	c.fresh = slices.DeleteFunc(c.fresh, func(s uint32) bool { return s == slot })
	if ch != c.Current {
		return
	}
	c.count()
	c.Current, c.List, c.Near, c.withheldCount = nil, List{}, nil, 0
	if i := slices.IndexFunc(c.chunks, func(ch *Chunk) bool { return ch != nil }); i >= 0 {
		c.makeCurrent(c.chunks[i])
		if c.paced() {
			c.withholdAll()
		}
	}
}

// nextChunk makes a chunk with freed blocks the current one and returns true. If there is none, it takes one with fresh blocks and returns
// false. Of several with freed blocks it takes the one of the lowest slot, so those of high slots drain.
func (c *Core) nextChunk() bool {
	if ch := c.firstPartial(); ch != nil {
		c.makeCurrent(ch)
		return true
	}
	if last := len(c.fresh) - 1; last >= 0 && c.chunks[c.fresh[last]] != c.Current {
		c.makeCurrent(c.chunks[c.fresh[last]])
	}
	return false
}

// firstPartial returns the first chunk whose list has blocks, nil if there is none.
func (c *Core) firstPartial() *Chunk {
	for ; int(c.lowest) < len(c.partial); c.lowest++ {
		if w := c.partial[c.lowest]; w != 0 {
			return c.chunks[c.lowest*64+uint32(bits.TrailingZeros64(w))]
		}
	}
	return nil
}

// makeCurrent makes a chunk the current one, when the list of that is empty.
func (c *Core) makeCurrent(ch *Chunk) {
	if c.Current != nil {
		c.count()
	}
	c.Current, c.Slot, c.start, c.List, ch.list.Head = ch, ch.slot, ch.base, ch.list, none
	c.partial[ch.slot/64] &^= 1 << (ch.slot % 64)
	c.tryFast()
}

// tryFast makes the fast path free blocks of the current chunk.
func (c *Core) tryFast() {
	c.Base, c.Near, c.Accepts = c.state().base, c.List.Next, Used
}

// noChunk is the state of a chunk without blocks. Nothing writes to it.
var noChunk Chunk

// state returns the state of the current chunk. If there is none, it is that of a chunk without blocks.
func (c *Core) state() *Chunk {
	if c.Current == nil {
		return &noChunk
	}
	return c.Current
}
