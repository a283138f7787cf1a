package fixed

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// A pending block counts as live in its chunk, and so in Used. [Core.others] is lower by one for each pending block of any chunk, and wraps
// around where that makes it negative.

// paced: blocks may be pending, and the peak is counted. Without pending blocks, only carving raises the peak, as all carved blocks are
// live then.
const paced = feature.Streams && feature.Counters

// Defer makes a live block pending. The block keeps its place. In the current chunk, Defer costs no more than a free.
//
//poolgen:if feature.Streams
func (c *Core) Defer(addr, _ uint64) poolimpl.Verdict {
	i, next := number(addr-c.current.base), c.current.list.next
	if i < uint64(len(next)) && next[i] == used {
		next[i] = pending
		c.others--
		return poolimpl.Freed
	}
	return c.deferElsewhere(addr)
}

// deferElsewhere is Defer for an address at which the current chunk has no live block.
//
//poolgen:if feature.Streams
func (c *Core) deferElsewhere(addr uint64) poolimpl.Verdict {
	_, ch, off := c.chunkOf(addr)
	if ch == nil {
		return poolimpl.Foreign
	}
	if i := number(off); i < uint64(len(ch.list.next)) && ch.list.next[i] == used {
		ch.list.next[i] = pending
		c.others--
		return poolimpl.Freed
	}
	return ch.refusal(off)
}

// Reuse makes a pending block live again. The block counts as handed out once more.
//
//poolgen:if feature.Streams
func (c *Core) Reuse(addr, _ uint64) (slot uint32, off uint64) {
	slot, off = c.makeLive(addr)
	c.allocated++
	c.freed++
	if paced {
		c.withholdExcess()
	}
	return slot, off
}

// Reclaim frees a pending block.
//
//poolgen:if feature.Streams
func (c *Core) Reclaim(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	c.makeLive(addr)
	slot, v = c.Free(addr, bytes)
	if paced {
		c.withholdExcess()
	}
	return slot, v
}

// makeLive makes a pending block live, without counting it as handed out.
//
//poolgen:if feature.Streams
func (c *Core) makeLive(addr uint64) (slot uint32, off uint64) {
	slot, ch, off := c.chunkOf(addr)
	ch.list.next[number(off)] = used
	c.others++
	return slot, off
}

// chunkOf returns the chunk of an address, nil if there is none, and the offset of the address in the chunk.
//
//poolgen:if feature.Streams || feature.Shareable
func (c *Core) chunkOf(addr uint64) (slot uint32, ch *chunk, off uint64) {
	ch, off = &c.current, addr-c.current.base
	if !single {
		slot = c.slot
		if number(off) >= ch.blocks {
			slot, ch, off = c.chunkElsewhere(addr)
		}
	}
	return slot, ch, off
}

// chunkElsewhere is chunkOf for an address outside the current chunk. It searches.
//
//poolgen:if (feature.Streams || feature.Shareable) && !single
func (c *Core) chunkElsewhere(addr uint64) (slot uint32, ch *chunk, off uint64) {
	slot, off, ok := c.where.Find(addr)
	switch {
	case !ok:
		return 0, nil, 0
	case slot == c.slot:
		return slot, &c.current, off
	}
	return slot, &c.chunks[slot], off
}

// withholdExcess takes a block off the list of the current chunk if the list has more blocks than can become live without a new peak, as
// [Core.AllocFast] does not count the peak. [Core.Reuse] and [Core.Reclaim] call withholdExcess: they alone add to the blocks that can be
// live.
//
//poolgen:if paced
func (c *Core) withholdExcess() {
	l := &c.current.list
	most := uint64(len(l.next)) + c.others - c.withheldCount // live blocks, if all of the list were taken
	if most <= c.peak {
		return
	}
	h := uint64(l.head)
	if h >= uint64(len(l.next)) {
		c.peak = most
		return
	}
	if c.withheldCount == 0 {
		c.withheld = none
	}
	l.head, l.next[h], c.withheld = l.next[h], c.withheld, l.head
	c.withheldCount++
}

// withholdAll takes all blocks off the list of a chunk that has just become the current one.
//
//poolgen:if paced && !single
func (c *Core) withholdAll() {
	l := &c.current.list
	c.withheld, l.head = l.head, none
	c.withheldCount = uint64(len(l.next)) - (c.allocated - c.freed)
}

// admit puts withheld blocks on the list of the current chunk, which is empty, and reports whether there were any. It puts as many as can
// become live without a new peak, and at least n if there are that many. The caller takes n of them.
//
//poolgen:if paced
func (c *Core) admit(n uint64) bool {
	live := c.live()
	n = min(c.withheldCount, max(n, c.peak-live))
	if n == 0 {
		return false
	}
	l := &c.current.list
	l.head = c.withheld
	c.withheldCount -= n
	if c.withheldCount > 0 {
		last := c.withheld
		for range n - 1 {
			last = l.next[last]
		}
		c.withheld, l.next[last] = l.next[last], none
	}
	c.peak = max(c.peak, live+n)
	return true
}
