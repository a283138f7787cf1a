package fixed

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

const _ = !single // the condition of the declarations below

// period is the number of frees after which FreeFast is tried again. It is large enough that wrong guesses cost little, and small enough that
// blocks that are all of one chunk again are soon freed fast.
const period = 64

// freeAnywhere frees a block of any chunk. No branch depends on the chunk. If the list at hand is empty, the chunk becomes the current one: no
// chunk has to be looked for when blocks are replaced while all are live.
//
//poolgen:if !single
func (c *Core) freeAnywhere(addr uint64) (slot uint32, v poolimpl.Verdict) {
	if joins {
		c.part()
	}
	ch := c.chunkOf(addr)
	if ch == nil {
		return 0, poolimpl.Foreign
	}
	i, next := number(addr-ch.base), ch.list.next
	if i >= uint64(len(next)) || next[i] != used {
		return ch.slot, ch.refusal(addr - ch.base)
	}
	if len(c.near) > 0 && ch != c.current { // in this order: while blocks of other chunks are freed, nothing here depends on the chunk
		c.near = c.near[:0]
	}
	ch.live--
	c.others--
	if feature.Streams || c.list.hasFreed() {
		c.push(ch, i)
		if joins {
			c.joint.since = c.far
		}
	} else {
		c.count()
		c.current, c.slot, c.list.next = ch, ch.slot, next
		if joins {
			c.start = ch.base
		}
		next[i], c.list.head = none, index(i)
	}
	if c.far++; c.far%period == 0 {
		c.tryFast()
		if joins {
			c.join()
		}
	}
	if feature.Trims {
		if c.liveIn(ch) == 0 {
			return ch.slot, poolimpl.Emptied
		}
	}
	return ch.slot, poolimpl.Freed
}

// chunkOf returns the only chunk that can contain an address, nil if there is none.
//
//poolgen:if !single
func (c *Core) chunkOf(addr uint64) *chunk {
	slot := c.where.Slot(addr)
	if uint64(slot) >= uint64(len(c.chunks)) {
		if slot = c.where.Search(addr); uint64(slot) >= uint64(len(c.chunks)) {
			return nil
		}
	}
	return c.chunks[slot]
}

// push puts a block on the list of its chunk.
//
//poolgen:if !single
func (c *Core) push(ch *chunk, i uint64) {
	if feature.Streams {
		if ch == c.current {
			ch.list.next[i], c.list.head = c.list.head, index(i)
			return
		}
	}
	ch.list.next[i], ch.list.head = ch.list.head, index(i)
	c.partial[ch.slot/64] |= 1 << (ch.slot % 64)
	c.lowest = min(c.lowest, ch.slot/64)
}
