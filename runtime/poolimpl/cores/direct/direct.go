// Package direct makes each block a chunk of its own. Each request of the pool is a request to the allocator; the pool adds
// counts, the limit, and checks of frees.
//
// A chunk serves the first request that fits, as a rule the one that it was allocated for. It is reported empty as soon as its block is freed, so that
// the pool returns it. A hash table finds the chunk of an address.
package direct

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Core is the suballocator. The zero value has no chunks and is ready for Add. It is not safe for concurrent use.
type Core struct {
	params Params
	count  poolimpl.Tally
	chunks []chunk     // by slot
	table  table       // slots by start address
	recent recentFrees // addresses freed last
	unused []uint32    // slots of chunks without a block
}

// Params are the parameters. The configuration of the pool has them.
type Params struct {
	Counters  bool // allocations and the peak are counted
	Streams   bool // blocks can be pending
	Shareable bool // another process may look blocks up
}

// Set implements [poolimpl.ParamCore].
func (c *Core) Set(params any) { c.params = *params.(*Params) }

// Features implements [poolimpl.FeaturedCore].
func (c *Core) Features() poolimpl.Features {
	return poolimpl.Features{Streams: c.params.Streams, Shares: c.params.Shareable}
}

// Close drops the chunks.
func (c *Core) Close() { *c = Core{params: c.params} }

// chunk is a chunk, and its block if there is one.
type chunk struct {
	base  uint64
	size  uint64
	bytes uint64 // asked for by its live block; 0 if there is none
	next  uint32 // 1 + slot of the next chunk in its bucket of the table; 0 for the last
	place uint32 // index in [Core.unused], if it is unused
}

// Alloc makes an unused chunk of at least bytes bytes, which is not 0, a block if its address is a multiple of align. Costs O(1) for each unused chunk
// that does not fit. There is none as a rule, as the pool returns chunks at once.
func (c *Core) Alloc(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	for i := len(c.unused) - 1; i >= 0; i-- {
		slot = c.unused[i]
		if ch := &c.chunks[slot]; bytes-1 < ch.size && ch.base&(align-1) == 0 {
			ch.bytes = bytes
			c.removeUnused(ch.place)
			c.count.CountAlloc(bytes)
			return slot, 0, true
		}
	}
	return 0, 0, false
}

// Free frees the block of bytes bytes that starts at addr. Costs O(1). The verdict of a second free is poolimpl.Double, unless the free comes so late that
// the address is not among the last ones any more, or is that of another block.
func (c *Core) Free(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	slot, v = c.classify(addr, bytes)
	if v != poolimpl.Freed {
		return slot, v
	}
	c.chunks[slot].bytes = 0
	c.recent.add(addr)
	c.addUnused(slot)
	c.count.CountFree(bytes)
	return slot, poolimpl.Emptied
}

// Undo is Free for a block that no caller has received. It takes back the count of the allocation, but not a new peak.
func (c *Core) Undo(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	slot, v = c.Free(addr, bytes)
	if v == poolimpl.Emptied {
		c.count.Uncount()
	}
	return slot, v
}

// classify returns the chunk of a block, and the verdict that a free of the block would get.
func (c *Core) classify(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	slot, ok := c.table.find(c.chunks, addr)
	switch {
	case !ok && c.recent.has(addr), ok && c.chunks[slot].bytes == 0:
		return slot, poolimpl.Double
	case !ok || c.chunks[slot].bytes != bytes:
		return slot, poolimpl.Foreign
	}
	return slot, poolimpl.Freed
}

// addUnused adds a chunk to the unused ones.
func (c *Core) addUnused(slot uint32) {
	c.chunks[slot].place = uint32(len(c.unused))
	c.unused = append(c.unused, slot)
}

// removeUnused removes the unused chunk at an index; the last one takes its place.
func (c *Core) removeUnused(i uint32) {
	last := c.unused[len(c.unused)-1]
	c.unused[i], c.chunks[last].place = last, i
	c.unused = c.unused[:len(c.unused)-1]
}

// AllocFast is Alloc for the alignment that every block has.
func (c *Core) AllocFast(bytes uint64) (slot uint32, off uint64, ok bool) { return c.Alloc(bytes, 1) }

// FreeFast reports false: [Core.Free] frees all blocks.
func (c *Core) FreeFast(_, _ uint64) bool { return false }
