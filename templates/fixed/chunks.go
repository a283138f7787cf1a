package fixed

import (
	"slices"

	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/templates/feature"
)

// Add makes a chunk available. It may hold MaxBlocks blocks at most: growth and the tracking of numbers
// refuse larger ones, as blocks beyond that would be lost in silence. A chunk smaller than a block is of no use, and does no harm.
func (c *Core) Add(slot uint32, base, size uint64) {
	ch := chunk{list: List{head: none}, base: base, blocks: size / blockSize}
	if ch.blocks > MaxBlocks {
		panic("poolgen: chunk has more blocks than its index can number")
	}
	if single {
		c.now = ch
	} else {
		c.enter(slot, ch, size)
	}
}

// enter files a chunk under slot. It becomes the current one when there is none.
//
//poolgen:if !single
func (c *Core) enter(slot uint32, ch chunk, size uint64) {
	c.where.Add(slot, ch.base, size)
	if n := int(slot) + 1; n > len(c.chunks) {
		c.chunks = append(c.chunks, make([]chunk, n-len(c.chunks))...)
	}
	c.chunks[slot] = ch
	if ch.blocks == 0 {
		return
	}
	c.fresh = append(c.fresh, slot)
	if c.now.blocks == 0 {
		c.slot, c.now = slot, ch
	}
}

// Remove takes an empty chunk away. Costs O(chunks).
func (c *Core) Remove(slot uint32) {
	if single {
		c.now = chunk{}
		if paced {
			c.keeps = 0
		}
	} else {
		c.exit(slot)
	}
}

// exit drops a chunk from all lists.
//
//poolgen:if !single
func (c *Core) exit(slot uint32) {
	c.where.Remove(slot)
	c.freed, c.fresh = without(c.freed, slot), without(c.fresh, slot)
	if slot == c.slot {
		c.now = chunk{}
		if paced {
			c.keeps = 0
		}
	}
	c.chunks[slot] = chunk{}
}

// without removes a slot from a list that may have it.
//
//poolgen:if !single
func without(slots []uint32, slot uint32) []uint32 {
	if i := slices.Index(slots, slot); i >= 0 {
		slots = slices.Delete(slots, i, i+1)
	}
	return slots
}

// turn prepares for a refill: a chunk whose list has blocks becomes the current one, and turn returns true, or one with fresh blocks does.
// Of several it is the one whose list was empty last, the fullest as a rule, so that emptier chunks get to drain.
//
//poolgen:if !single
func (c *Core) turn() bool {
	if last := len(c.freed) - 1; last >= 0 {
		c.promote(c.freed[last])
		c.freed = c.freed[:last]
		return true
	}
	if last := len(c.fresh) - 1; last >= 0 && c.fresh[last] != c.slot {
		c.promote(c.fresh[last])
	}
	return false
}

// promote makes a chunk the current one. The last one, whose list is empty, steps back.
//
//poolgen:if !single
func (c *Core) promote(slot uint32) {
	c.now.live = c.taken - c.gone
	c.others += c.now.live
	c.chunks[c.slot] = c.now
	c.slot, c.now = slot, c.chunks[slot]
	c.others -= c.now.live
	c.gone = c.taken - c.now.live
}

// freeElsewhere takes back a block that is not a live one of the current chunk.
//
//poolgen:if !single
func (c *Core) freeElsewhere(addr uint64) (uint32, runtime.Verdict) {
	slot, off, ok := c.where.Find(addr)
	if !ok {
		return 0, runtime.Foreign
	}
	if slot == c.slot {
		return slot, c.now.refusal(off)
	}
	ch := &c.chunks[slot]
	list, ok := ch.list.Push(off)
	if !ok {
		return slot, ch.refusal(off)
	}
	if !ch.hasFreed() {
		c.freed = append(c.freed, slot)
	}
	ch.list = list
	c.others--
	ch.live--
	if feature.Trims {
		if ch.live == 0 {
			return slot, runtime.Emptied
		}
	}
	return slot, runtime.Freed
}
