package fixed

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// A pending block counts as live in its chunk, and so in Used. What makes up for it in the number of all live blocks is the count of those outside the
// current chunk, [Core.others]: it is less by each block pending in any chunk, and may thus be less than 0.

// paced: the peak has to be followed although blocks may be pending. That fresh blocks are carved only where all others are live, so that nothing
// but carving raises the peak, is not true any more.
const paced = feature.Streams && feature.Counters

// Defer makes a live block a pending one. It is not live, but takes up its place in its chunk. All blocks have one length, so it is not looked
// at. In the current chunk it costs no more than a free.
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

// deferElsewhere defers a block that is not a live one of the current chunk.
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

// Reuse makes a pending block live again: it was handed out once more.
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

// makeLive makes a pending block a live one.
//
//poolgen:if feature.Streams
func (c *Core) makeLive(addr uint64) (slot uint32, off uint64) {
	slot, ch, off := c.chunkOf(addr)
	ch.list.next[number(off)] = used
	c.others++
	return slot, off
}

// chunkOf returns the chunk of an address, nil if there is none, and how far into it the address lies.
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

// chunkElsewhere does so by a search.
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

// withholdExcess sees to it that the list of the current chunk has no more blocks than may be taken before there is a new peak, so that taking one need not
// look. It was so before the last call, which made one block more live, or put one on the list.
//
//poolgen:if paced
func (c *Core) withholdExcess() {
	l := &c.current.list
	most := uint64(len(l.next)) + c.others - c.withheldCount // blocks live, if all of the list were taken
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

// withholdAll keeps all blocks off the list of the current chunk, which has just become that.
//
//poolgen:if paced && !single
func (c *Core) withholdAll() {
	l := &c.current.list
	c.withheld, l.head = l.head, none
	c.withheldCount = uint64(len(l.next)) - (c.allocated - c.freed)
}

// admit puts free blocks of the current chunk that are kept off its list, which is empty, on it: as many as may be taken without a new peak, but n,
// if there are as many, at any rate. The caller takes these at once. It reports whether there were any.
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
