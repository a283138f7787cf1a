package fixed

import "github.com/poolgen/poolgen/runtime/poolimpl"

// Free frees the block that starts at addr; all blocks have one length. Callers try the fast path first.
//
// Where chunks do not lie in a range, blocks of several may be freed in any order. A branch that depends on the chunk of a block is then mispredicted all the time,
// after the processor has waited for the entry of the block; without such a branch it waits for the entries of several blocks at once. The fast free has one, as
// most blocks are of the current chunk where it is used. Once it has refused a block of another chunk, it frees none for some time, and Free has no such branch
// while blocks are replaced one by one: if no block is at hand, the chunk of the one that is freed becomes the current one.
func (c *Core) Free(addr, _ uint64) (slot uint32, v poolimpl.Verdict) {
	ch := c.chunkAt(addr)
	if ch == nil {
		return 0, poolimpl.Foreign
	}
	i, next := c.numbers.Of(addr-ch.span.base), ch.span.next
	if i >= uint64(len(next)) || next[i] != Used {
		return ch.slot, ch.refusal(i)
	}
	if c.params.Handles && !Age(c.Gens, i) {
		c.retire(ch, i)
		return ch.slot, poolimpl.Freed
	}
	due := c.Returned == c.Due
	if len(c.Near) > 0 && !ch.span.ranged && ch != c.current { // in this order: while blocks of other chunks are freed, nothing here depends on the chunk
		c.disarm()
		due = false
	}
	c.Returned++
	if ch.span.ranged || c.params.Streams || c.again || c.List.hasFreed() {
		c.push(ch, i)
	} else {
		c.use(ch.span, ch)
		next[i] = none
		c.setAtHand(uint32(i), 1)
	}
	if due {
		c.endTurn()
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
	i := c.numbers.Of(addr - ch.span.base)
	if i < uint64(len(ch.span.next)) && ch.span.next[i] == Used {
		return poolimpl.Freed
	}
	return ch.refusal(i)
}

// chunkAt returns the only chunk that can contain an address, nil if there is none.
func (c *Core) chunkAt(addr uint64) *chunk {
	slot := c.where.Slot(addr)
	if uint64(slot) >= uint64(len(c.chunks)) {
		if slot = c.where.Search(addr); uint64(slot) >= uint64(len(c.chunks)) {
			return nil
		}
	}
	return c.chunks[slot]
}

// push puts a block on the list of its chunk or, if the chunk is the current one, on that at hand.
func (c *Core) push(ch *chunk, i uint64) {
	next := ch.span.next
	if ch == c.current { // the caller has refused only blocks of others, but for pending ones
		next[i], c.List.Head = c.List.Head, uint32(i)
		return
	}
	c.surplus-- // as the block is not at hand
	next[i], ch.head = ch.head, uint32(i)
	ch.free++
	c.listed.set(ch.place)
}
