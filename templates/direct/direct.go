// Package direct makes each block a chunk of its own: each request is a request of the allocator, and the pool adds
// counts, the limit, and the check of frees.
//
// A chunk serves the first request it fits, as a rule the one it was fetched for, and is reported empty as soon as
// its block is freed, so that it is given back. Addresses are looked up in a hash table of chunks.
package direct

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// Core is the suballocator. Its zero value is empty and ready for Add. It is not safe for concurrent use.
type Core struct {
	count  poolimpl.Tally
	chunks []chunk     // by slot
	table  table       // slots by start address
	recent recentFrees // addresses of chunks that went
	unused []uint32
}

// chunk is what is known of each chunk.
type chunk struct {
	base  uint64
	size  uint64
	bytes uint64 // asked for by its block; 0: none is live
	next  uint32 // 1 + slot of the next chunk in the same bucket of the table; 0: the last
	place uint32 // index in [Core.unused], while it is there
}

// Alloc hands out an unused chunk of at least bytes bytes, one at least, that starts at a multiple of align. Costs O(1), and
// as much for each unused chunk that does not fit; when chunks are given back at once, there is none.
func (c *Core) Alloc(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	for i := len(c.unused) - 1; i >= 0; i-- {
		slot = c.unused[i]
		if ch := &c.chunks[slot]; bytes-1 < ch.size && ch.base&(align-1) == 0 {
			ch.bytes = bytes
			c.removeUnused(ch.place)
			if feature.Counters {
				c.count.CountAlloc(bytes)
			} else {
				c.count.CountLive(bytes)
			}
			return slot, 0, true
		}
	}
	return 0, 0, false
}

// Free takes back the block of bytes bytes that starts at addr. Costs O(1). A second free is poolimpl.Double unless it comes late, when
// the address is forgotten or starts another block.
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

// Undo is Free for a block that no caller has received: it does not count as handed out. The peak may count it.
func (c *Core) Undo(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	slot, v = c.Free(addr, bytes)
	if feature.Counters {
		if v == poolimpl.Emptied {
			c.count.Uncount()
		}
	}
	return slot, v
}

// classify returns the chunk of a block, and the verdict of its free.
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

// FreeFast reports false: [Core.Free] takes back all blocks.
func (c *Core) FreeFast(_, _ uint64) bool { return false }
