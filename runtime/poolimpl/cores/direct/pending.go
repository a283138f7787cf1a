package direct

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Defer makes a live block a pending one, which counts as freed. Its chunk then has no live block, but is not unused. Costs O(1).
func (c *Core) Defer(addr, bytes uint64) poolimpl.Verdict {
	slot, v := c.classify(addr, bytes)
	if v == poolimpl.Freed {
		c.chunks[slot].bytes = 0
		c.count.CountFree(bytes)
	}
	return v
}

// Reuse makes a pending block live again, and counts an allocation.
func (c *Core) Reuse(addr, bytes uint64) (slot uint32, off uint64) {
	slot, _ = c.table.find(c.chunks, addr)
	c.chunks[slot].bytes = bytes
	c.count.CountAlloc(bytes)
	return slot, 0
}

// Reclaim frees a pending block. Defer has counted the free.
func (c *Core) Reclaim(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	slot, _ = c.table.find(c.chunks, addr)
	c.chunks[slot].bytes = bytes
	c.count.CountLive(bytes)
	return c.Free(addr, bytes)
}
