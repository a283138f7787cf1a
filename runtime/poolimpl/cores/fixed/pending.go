package fixed

import "github.com/poolgen/poolgen/runtime/poolimpl"

// A pending block counts as live in its chunk, and so in Used. [Core.others] is lower by one for each pending block, and wraps
// around where that makes it negative.

// Defer makes a live block pending. The block keeps its place. It costs what a free does.
func (c *Core) Defer(addr, _ uint64) poolimpl.Verdict {
	if i := c.number(addr - c.Base); i < uint64(len(c.Near)) && c.Near[i] == Used {
		c.Near[i] = pending
		c.others--
		return poolimpl.Freed
	}
	ch := c.chunkAt(addr)
	if ch == nil {
		return poolimpl.Foreign
	}
	i := c.number(addr - ch.base)
	if i >= uint64(len(ch.list.Next)) || ch.list.Next[i] != Used {
		return ch.refusal(i)
	}
	ch.list.Next[i] = pending
	c.others--
	return poolimpl.Freed
}

// Reuse makes a pending block live again. The block counts as handed out once more.
func (c *Core) Reuse(addr, _ uint64) (slot uint32, off uint64) {
	ch := c.makeLive(addr)
	c.Handed++
	c.Returned++
	if c.paced() {
		c.withholdExcess()
	}
	return ch.slot, addr - ch.base
}

// Reclaim frees a pending block.
func (c *Core) Reclaim(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	ch := c.makeLive(addr)
	if slot = ch.slot; !c.freeNear(addr) {
		slot, v = c.Free(addr, bytes)
	}
	if c.paced() {
		c.withholdExcess()
	}
	return slot, v
}

// freeNear is the fast free, which generated code has with the block size as a constant.
func (c *Core) freeNear(addr uint64) bool {
	i := c.number(addr - c.Base)
	if i >= uint64(len(c.Near)) || c.Near[i] != Used || c.List.Head|c.Accepts != Used || c.params.Trims && c.Current.Live+c.Handed-c.Returned <= 1 {
		return false
	}
	c.Near[i], c.List.Head = c.List.Head, uint32(i)
	c.Returned++
	return true
}

// makeLive makes a pending block live, without counting it as handed out, and returns its chunk.
func (c *Core) makeLive(addr uint64) *Chunk {
	ch := c.chunkAt(addr)
	ch.list.Next[c.number(addr-ch.base)] = Used
	c.others++
	return ch
}

// withholdExcess takes a block off the list of the current chunk if the list has more blocks than can become live without a new peak, as
// the fast path does not count the peak. [Core.Reuse] and [Core.Reclaim] call withholdExcess: they alone add to the blocks that can be
// live.
func (c *Core) withholdExcess() {
	l := &c.List
	most := uint64(len(l.Next)) + c.live() - c.liveIn(c.state()) - c.withheldCount // live blocks, if all of the list were taken
	if most <= c.peak {
		return
	}
	h := uint64(l.Head)
	if h >= uint64(len(l.Next)) {
		c.peak = most
		return
	}
	if c.withheldCount == 0 {
		c.withheld = none
	}
	l.Head, l.Next[h], c.withheld = l.Next[h], c.withheld, l.Head
	c.withheldCount++
}

// withholdAll takes all blocks off the list of the chunk that has just become the current one.
func (c *Core) withholdAll() {
	c.withheld, c.List.Head = c.List.Head, none
	c.withheldCount = uint64(len(c.List.Next)) - c.liveIn(c.state())
}

// admit puts withheld blocks on the list of the current chunk, which is empty, and reports whether there were any. It puts as many as can
// become live without a new peak, and at least n if there are that many. The caller takes n of them.
func (c *Core) admit(n uint64) bool {
	live := c.live()
	n = min(c.withheldCount, max(n, c.peak-live))
	if n == 0 {
		return false
	}
	l := &c.List
	l.Head = c.withheld
	c.withheldCount -= n
	if c.withheldCount > 0 {
		last := c.withheld
		for range n - 1 {
			last = l.Next[last]
		}
		c.withheld, l.Next[last] = l.Next[last], none
	}
	c.peak = max(c.peak, live+n)
	return true
}
