package binned

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// Used returns the bytes that the live blocks of a chunk take up. If [feature.Trims], each Alloc and Free counts, as a free has to know whether a
// chunk has become empty. Unless [feature.Trims], the first call of Used after a change costs O(chunks and bins).
func (c *Core) Used(slot uint32) uint64 {
	if !feature.Trims {
		c.countUsed()
	}
	return c.chunks[slot].used + c.space.Used(slot)
}

// countUsed counts the blocks in slabs that are live or pending, for all chunks, if that has changed.
//
//poolgen:if !feature.Trims
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

// Need returns the size of a chunk that is sure to serve the request, 0 if none could.
func (c *Core) Need(bytes, _ uint64) uint64 { return c.space.Need(bytes) }

// Usage returns the counts. Costs O(chunks and bins). What bins keep does not count as part of a larger free range, though it becomes one
// when a request needs it.
func (c *Core) Usage() poolimpl.Usage {
	if !feature.Trims {
		c.countUsed()
	}
	u := c.count.Usage()
	u.Occupied = c.space.Occupied()
	u.LargestFree = c.space.Largest()
	for i := range c.chunks {
		u.Occupied += c.chunks[i].used
	}
	if feature.Streams {
		u.Occupied -= c.pending
	}
	for b := range c.binSlabs {
		q := &c.binSlabs[b]
		if q.count|q.open|q.keptSlab != 0 {
			u.LargestFree = max(u.LargestFree, uint64(q.size))
		}
		u.Cached += (uint64(q.count) + uint64(c.at(q.keptSlab).blocks)) * uint64(q.size)
	}
	return u
}
