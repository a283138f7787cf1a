package fixed

import "github.com/poolgen/poolgen/runtime/poolimpl"

// period is the number of frees after which the fast path is tried again. It is large enough that wrong guesses cost little, and small enough that
// blocks that are all of one chunk again are soon freed fast.
const period = 64

// Free frees the block that starts at addr; all blocks have one length. Callers try the fast path first. No branch depends on the chunk. If the list at
// hand is empty, the chunk becomes the current one: no chunk has to be looked for when blocks are replaced while all are live.
func (c *Core) Free(addr, _ uint64) (slot uint32, v poolimpl.Verdict) {
	c.part()
	ch := c.chunkAt(addr)
	if ch == nil {
		return 0, poolimpl.Foreign
	}
	i, next := c.number(addr-ch.base), ch.list.Next
	if i >= uint64(len(next)) || next[i] != Used {
		return ch.slot, ch.refusal(i)
	}
	if c.params.Handles && !Age(c.Gens, i) {
		c.retire(ch, i)
		return ch.slot, poolimpl.Freed
	}
	if len(c.Near) > 0 && ch != c.Current { // in this order: while blocks of other chunks are freed, nothing here depends on the chunk
		c.Near = c.Near[:0]
	}
	ch.Live--
	c.others--
	if c.params.Streams || c.List.hasFreed() {
		c.push(ch, i)
		c.joint.since = c.far
	} else {
		c.count()
		c.Current, c.Slot, c.start, c.List.Next = ch, ch.slot, ch.base, next
		next[i], c.List.Head = none, uint32(i)
	}
	if c.far++; c.far%period == 0 {
		c.tryFast()
		if c.params.Joins {
			c.join()
		}
	}
	if c.params.Trims && c.liveIn(ch) == 0 {
		return ch.slot, poolimpl.Emptied
	}
	return ch.slot, poolimpl.Freed
}

// Lookup returns the verdict that a free of the block would get, and changes nothing. Costs what a free does.
func (c *Core) Lookup(addr, _ uint64) poolimpl.Verdict {
	ch := c.chunkAt(addr)
	if ch == nil {
		return poolimpl.Foreign
	}
	i := c.number(addr - ch.base)
	if i < uint64(len(ch.list.Next)) && ch.list.Next[i] == Used {
		return poolimpl.Freed
	}
	return ch.refusal(i)
}

// chunkAt returns the only chunk that can contain an address, nil if there is none.
func (c *Core) chunkAt(addr uint64) *Chunk {
	slot := c.where.Slot(addr)
	if uint64(slot) >= uint64(len(c.chunks)) {
		if slot = c.where.Search(addr); uint64(slot) >= uint64(len(c.chunks)) {
			return nil
		}
	}
	return c.chunks[slot]
}

// push puts a block on the list of its chunk.
func (c *Core) push(ch *Chunk, i uint64) {
	if ch == c.Current { // the caller has refused only blocks of others, but for pending ones
		ch.list.Next[i], c.List.Head = c.List.Head, uint32(i)
		return
	}
	ch.list.Next[i], ch.list.Head = ch.list.Head, uint32(i)
	c.partial[ch.slot/64] |= 1 << (ch.slot % 64)
	c.lowest = min(c.lowest, ch.slot/64)
}
