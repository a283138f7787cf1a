package binned

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Defer makes a live block pending. The block counts as freed, but keeps its place; a second free is refused. In a slab, the block is
// neither on the list nor ready, so no request gets it. Costs O(1).
func (c *Core) Defer(addr, bytes uint64) poolimpl.Verdict {
	s, i := c.slabFor(addr, bytes)
	if s == nil {
		return c.deferBlock(addr, bytes)
	}
	size := c.bins[s.bin]
	if !s.lives(i, size, addr, bytes) {
		return c.classify(addr)
	}
	*s.entry(i) = pending
	c.pending += size
	c.CountFree(bytes)
	return poolimpl.Freed
}

// deferBlock is Defer for a block that is in no slab.
func (c *Core) deferBlock(addr, bytes uint64) poolimpl.Verdict {
	link := c.Space.Find(addr)
	if link == nil || !c.Space.Live(*link) {
		return c.classify(addr)
	}
	if c.Space.Asked(*link) != bytes {
		return poolimpl.Foreign
	}
	c.Space.Defer(*link)
	c.CountFree(bytes)
	return poolimpl.Freed
}

// Reuse makes a pending block live again. The block counts as handed out once more.
func (c *Core) Reuse(addr, bytes uint64) (slot uint32, off uint64) {
	slot, off = c.makeLive(addr, bytes)
	c.CountAlloc(bytes)
	return slot, off
}

// Reclaim frees a pending block, which was counted as freed when it was deferred.
func (c *Core) Reclaim(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	c.makeLive(addr, bytes)
	c.CountLive(bytes)
	return c.Free(addr, bytes)
}

// makeLive makes a pending block live, without counting it.
func (c *Core) makeLive(addr, bytes uint64) (slot uint32, off uint64) {
	s, i := c.slabFor(addr, bytes)
	if s == nil {
		i := *c.Space.Find(addr)
		c.Space.Reuse(i, bytes)
		return c.Space.Place(i)
	}
	size := c.bins[s.bin]
	*s.entry(i) = uint16(liveFlag + size - bytes)
	c.pending -= size
	return s.slot, s.off + i*size
}

// slabFor returns the slab that a block of so many bytes lies in, and the index of the block that may start at addr; nil if the block is in
// no slab.
func (c *Core) slabFor(addr, bytes uint64) (*slab, uint64) {
	if bytes-1 >= c.top {
		return nil, 0
	}
	return c.slabOf(addr, c.binOf(bytes))
}
