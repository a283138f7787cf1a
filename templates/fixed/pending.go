package fixed

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// A pending block counts as live in its chunk, and so in Used. [Core.others] is lower by one for each pending block, and wraps
// around where that makes it negative.

// paced: blocks may be pending, and the peak is counted. Without pending blocks, only carving raises the peak, as all carved blocks are
// live then.
const paced = feature.Streams && feature.Counters

// Defer makes a live block pending. The block keeps its place. It costs what a free does.
//
//poolgen:if feature.Streams
func (c *Core) Defer(addr, _ uint64) poolimpl.Verdict {
	i, next := number(addr-c.base), c.near
	if i < uint64(len(next)) && next[i] == used {
		next[i] = pending
		c.others--
		return poolimpl.Freed
	}
	return c.deferAnywhere(addr)
}

// deferAnywhere is Defer for a block of any chunk.
//
//poolgen:if feature.Streams
func (c *Core) deferAnywhere(addr uint64) poolimpl.Verdict {
	ch := c.chunkAt(addr)
	if ch == nil {
		return poolimpl.Foreign
	}
	i := number(addr - ch.base)
	if i >= uint64(len(ch.list.next)) || ch.list.next[i] != used {
		return ch.refusal(addr - ch.base)
	}
	ch.list.next[i] = pending
	c.others--
	return poolimpl.Freed
}

// Reuse makes a pending block live again. The block counts as handed out once more.
//
//poolgen:if feature.Streams
func (c *Core) Reuse(addr, _ uint64) (slot uint32, off uint64) {
	ch := c.makeLive(addr)
	c.allocated++
	c.freed++
	if paced {
		c.withholdExcess()
	}
	return ch.number(), addr - ch.base
}

// Reclaim frees a pending block.
//
//poolgen:if feature.Streams
func (c *Core) Reclaim(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	slot = c.makeLive(addr).number()
	if !c.FreeFast(addr) {
		slot, v = c.Free(addr, bytes)
	}
	if paced {
		c.withholdExcess()
	}
	return slot, v
}

// makeLive makes a pending block live, without counting it as handed out, and returns its chunk.
//
//poolgen:if feature.Streams
func (c *Core) makeLive(addr uint64) *chunk {
	ch := c.chunkAt(addr)
	ch.list.next[number(addr-ch.base)] = used
	c.others++
	return ch
}

// withholdExcess takes a block off the list of the current chunk if the list has more blocks than can become live without a new peak, as
// [Core.AllocFast] does not count the peak. [Core.Reuse] and [Core.Reclaim] call withholdExcess: they alone add to the blocks that can be
// live.
//
//poolgen:if paced
func (c *Core) withholdExcess() {
	l := &c.list
	most := uint64(len(l.next)) + c.live() - c.liveIn(c.state()) - c.withheldCount // live blocks, if all of the list were taken
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

// withholdAll takes all blocks off the list of the chunk that has just become the current one.
//
//poolgen:if paced && !single
func (c *Core) withholdAll() {
	c.withheld, c.list.head = c.list.head, none
	c.withheldCount = uint64(len(c.list.next)) - c.liveIn(c.state())
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
	l := &c.list
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
