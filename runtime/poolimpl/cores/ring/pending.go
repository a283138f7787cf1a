package ring

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// pendingFlag is added to the length of a pending block. The block stays in the queue and keeps its space.
const pendingFlag = 1 << 63

// Defer makes a live block a pending one, which counts as freed but takes up its place. A second free is refused. Costs a few nanoseconds if the
// block is the oldest, or next in age to the block deferred last, and otherwise a search of the index. While an arena has pending blocks,
// FreeFast does not free its blocks.
func (c *Core) Defer(addr, bytes uint64) poolimpl.Verdict {
	a, n, ok := c.locate(addr)
	if !ok {
		return poolimpl.Foreign
	}
	b := a.at(n)
	if v := b.classify(bytes); v != poolimpl.Freed {
		return v
	}
	b.bytes += pendingFlag
	a.skipped++
	a.sure = 0
	c.pending += c.roundUp(bytes)
	c.countFree(bytes)
	return poolimpl.Freed
}

// Reuse makes a pending block live again, and counts an allocation.
func (c *Core) Reuse(addr, bytes uint64) (slot uint32, off uint64) {
	a, n, _ := c.locate(addr)
	a.at(n).bytes = bytes
	a.skipped--
	c.pending -= c.roundUp(bytes)
	c.allocated += bytes
	c.retired++
	return a.slot, addr - a.base
}

// Reclaim frees a pending block. Defer has counted the free.
func (c *Core) Reclaim(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	a, n, _ := c.locate(addr)
	c.pending -= c.roundUp(bytes)
	if n != a.oldest {
		a.at(n).bytes = 0
		return a.slot, poolimpl.Freed
	}
	a.skipped--
	a.pop()
	if a != &c.current {
		c.insertArena(a)
	}
	if a.oldest == a.newest {
		v = c.arenaEmptied(a)
	}
	return a.slot, v
}

// locate returns the arena and the number of the block that starts at an address.
func (c *Core) locate(addr uint64) (a *arena, number uint64, ok bool) {
	a = c.last
	if a == nil || addr-a.base-a.start >= a.size {
		if a = c.arenaOf(addr); a == nil {
			return nil, 0, false
		}
		c.last = a
	}
	off := addr - a.base
	n := a.newest - a.oldest
	for _, guess := range [...]uint64{c.near, c.near + 1, a.oldest} {
		if guess-a.oldest < n && a.at(guess).off == off {
			c.near = guess
			return a, guess, true
		}
	}
	if number, ok = a.search(off); ok {
		c.near = number
	}
	return a, number, ok
}
