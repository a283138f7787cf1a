package fixed

import "github.com/poolgen/poolgen/runtime/poolimpl"

// A pending block counts as live in its chunk, and so in Used.

// Defer makes a live block pending. The block keeps its place. It costs what a free does.
func (c *Core) Defer(addr, _ uint64) poolimpl.Verdict {
	if i := c.numbers.Of(addr - c.Base); i < uint64(len(c.Near)) && c.Near[i] == Used {
		c.Near[i] = pending
		c.waiting++
		return poolimpl.Freed
	}
	ch := c.chunkAt(addr)
	if ch == nil {
		return poolimpl.Foreign
	}
	i := c.numbers.Of(addr - ch.span.base)
	if i >= uint64(len(ch.span.next)) || ch.span.next[i] != Used {
		return ch.refusal(i)
	}
	ch.span.next[i] = pending
	c.waiting++
	return poolimpl.Freed
}

// Reuse makes a pending block live again. The block counts as handed out once more.
func (c *Core) Reuse(addr, _ uint64) (slot uint32, off uint64) {
	ch := c.makeLive(addr)
	c.Handed++
	c.Returned++
	c.Due++
	if c.paced() {
		c.withholdExcess()
	}
	return ch.slot, addr - ch.span.base
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
	i := c.numbers.Of(addr - c.Base)
	if i >= uint64(len(c.Near)) || c.Near[i] != Used || c.Returned == c.Due {
		return false
	}
	c.Near[i], c.List.Head = c.List.Head, uint32(i)
	c.Returned++
	return true
}

// makeLive makes a pending block live, without counting it as handed out, and returns its chunk.
func (c *Core) makeLive(addr uint64) *chunk {
	ch := c.chunkAt(addr)
	ch.span.next[c.numbers.Of(addr-ch.span.base)] = Used
	c.waiting--
	return ch
}

// withholdExcess takes a block off the list at hand if the list has more blocks than can become live without a new peak, as
// the fast path does not count the peak. [Core.Reuse] and [Core.Reclaim] call withholdExcess: they alone add to the blocks that can be
// live.
func (c *Core) withholdExcess() {
	n := c.atHand()
	most := c.live() + n // live blocks, if all of the list were taken
	if most <= c.peak {
		return
	}
	if n == 0 {
		c.peak = most
		return
	}
	if c.withheldCount == 0 {
		c.withheld = none
	}
	l, h := &c.List, c.List.Head
	rest := l.Next[h]
	l.Next[h], c.withheld = c.withheld, h
	c.setAtHand(rest, n-1)
	c.withheldCount++
}

// withholdAll takes all blocks off the list at hand, which is that of another chunk than before.
func (c *Core) withholdAll() {
	c.withheld, c.withheldCount = c.List.Head, c.atHand()
	c.setAtHand(none, 0)
}

// admit puts withheld blocks on the list at hand, which is empty, and reports whether there were any. It puts as many as can
// become live without a new peak, and at least n if there are that many. The caller takes n of them.
func (c *Core) admit(n uint64) bool {
	live := c.live()
	n = min(c.withheldCount, max(n, c.peak-live))
	if n == 0 {
		return false
	}
	c.setAtHand(c.withheld, n)
	c.withheldCount -= n
	if c.withheldCount > 0 {
		next, last := c.List.Next, c.withheld
		for range n - 1 {
			last = next[last]
		}
		c.withheld, next[last] = next[last], none
	}
	c.peak = max(c.peak, live+n)
	return true
}
