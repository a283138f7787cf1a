package binned

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Used returns the bytes that the live blocks of a chunk take up. If Trims, each Alloc and Free counts, as a free has to know whether a
// chunk has become empty. Unless Trims, the first call of Used after a change costs O(chunks and bins).
func (c *Core) Used(slot uint32) uint64 {
	if !c.Trims {
		c.countUsed()
	}
	return c.counted(slot)
}

// counted returns the bytes that the blocks of a chunk took up when they were counted last.
func (c *Core) counted(slot uint32) uint64 { return c.chunks[slot].used + c.Space.Used(slot) }

// countUsed counts the blocks in slabs that are live or pending, for all chunks, if that has changed.
func (c *Core) countUsed() {
	if !c.stirred {
		return
	}
	c.stirred = false
	for slot := range c.chunks {
		c.chunks[slot].used = c.chunks[slot].out
	}
	for b := range c.binSlabs {
		q := &c.binSlabs[b]
		for _, x := range q.ready[:q.count] {
			c.chunk(c.at(uint32(x >> 32))).used -= uint64(q.size)
		}
	}
}

// Usage returns the counts. Costs O(chunks and bins). What bins keep does not count as part of a larger free range, though it becomes one
// when a request needs it.
func (c *Core) Usage() poolimpl.Usage {
	if !c.Trims {
		c.countUsed()
	}
	u := c.Core.Usage()
	for i := range c.chunks {
		u.Occupied += c.chunks[i].used
	}
	u.Occupied -= c.pending
	for b := range c.binSlabs {
		q := &c.binSlabs[b]
		if q.count|q.open|q.keptSlab != 0 {
			u.LargestFree = max(u.LargestFree, uint64(q.size))
		}
		u.Cached += (uint64(q.count) + uint64(c.at(q.keptSlab).blocks)) * uint64(q.size)
	}
	return u
}
