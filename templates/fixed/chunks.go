package fixed

import (
	"slices"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// Add makes a chunk available. The chunk may be smaller than a block. The engine adds none with more blocks than an index can number.
func (c *Core) Add(slot uint32, base, size uint64) {
	ch := chunk{list: List{head: none}, base: base, blocks: size / blockSize}
	if ch.blocks > uint64(pending) {
		panic("poolgen: chunk has more blocks than its index can number")
	}
	if feature.Handles {
		ch.list.gens = c.ages(0)
	}
	if single {
		c.current = ch
		return
	}
	c.where.Add(slot, ch.base, size)
	if n := int(slot) + 1; n > len(c.chunks) {
		c.chunks = append(c.chunks, make([]chunk, n-len(c.chunks))...)
	}
	c.chunks[slot] = ch
	if ch.blocks == 0 {
		return
	}
	c.fresh = append(c.fresh, slot)
	if c.current.blocks == 0 {
		c.slot, c.current = slot, ch
	}
}

// Remove removes an empty chunk. Costs O(chunks).
func (c *Core) Remove(slot uint32) {
	if single {
		c.current = chunk{}
		if paced {
			c.withheldCount = 0
		}
		return
	}
	c.where.Remove(slot)
	c.partial, c.fresh = without(c.partial, slot), without(c.fresh, slot)
	if slot == c.slot {
		c.current = chunk{}
		if paced {
			c.withheldCount = 0
		}
	}
	c.chunks[slot] = chunk{}
}

// without removes a slot from a list, if it is there.
//
//poolgen:if !single
func without(slots []uint32, slot uint32) []uint32 {
	if i := slices.Index(slots, slot); i >= 0 {
		slots = slices.Delete(slots, i, i+1)
	}
	return slots
}

// nextChunk makes a chunk with freed blocks the current one and returns true. If there is none, it takes one with fresh blocks and returns
// false. Of several with freed blocks it takes the one whose list was empty last: usually the fullest, so emptier ones drain.
//
//poolgen:if !single
func (c *Core) nextChunk() bool {
	if last := len(c.partial) - 1; last >= 0 {
		c.makeCurrent(c.partial[last])
		c.partial = c.partial[:last]
		return true
	}
	if last := len(c.fresh) - 1; last >= 0 && c.fresh[last] != c.slot {
		c.makeCurrent(c.fresh[last])
	}
	return false
}

// makeCurrent makes a chunk the current one. The list of the chunk that it replaces is empty.
//
//poolgen:if !single
func (c *Core) makeCurrent(slot uint32) {
	c.current.live = c.allocated - c.freed
	c.others += c.current.live
	c.chunks[c.slot] = c.current
	c.slot, c.current = slot, c.chunks[slot]
	c.others -= c.current.live
	c.freed = c.allocated - c.current.live
}

// freeElsewhere is Free for an address at which the current chunk has no live block.
//
//poolgen:if !single
func (c *Core) freeElsewhere(addr uint64) (uint32, poolimpl.Verdict) {
	slot, off, ok := c.where.Find(addr)
	if !ok {
		return 0, poolimpl.Foreign
	}
	if slot == c.slot {
		return slot, c.current.refusal(off)
	}
	ch := &c.chunks[slot]
	list, ok := ch.list.Push(off)
	if !ok {
		return slot, ch.refusal(off)
	}
	if !ch.hasFreed() {
		c.partial = append(c.partial, slot)
	}
	ch.list = list
	c.others--
	ch.live--
	if feature.Trims {
		if ch.live == 0 {
			return slot, poolimpl.Emptied
		}
	}
	return slot, poolimpl.Freed
}
