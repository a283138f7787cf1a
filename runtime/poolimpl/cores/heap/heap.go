// Package heap cuts chunks into blocks of any size. It serves requests of mixed sizes and lifetimes: each block is about as large as its
// request, neighbours merge as soon as both are free, and a chunk whose blocks are all free is one range again.
//
// A [Space] has blocks and free ranges as nodes of one array, linked by their numbers. The memory itself is never touched, so it may be
// anywhere, or be nothing but numbers. A hash index finds blocks by address. Bins (good fit) or a tree (first and best fit) find free
// ranges by size. [Core] adds the counters and the verdicts on frees that a pool needs. Suballocators with a cache or slabs in front of a heap
// use Space, with the functions of hold.go for blocks that they keep.
//
// Metadata is 32 bytes and a bit for each block and free range, 40 with a tree, and 4 to 8 bytes a block for the index, in arrays without
// pointers, which the garbage collector does not scan.
package heap

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Core is a heap. Its zero value has no chunks; [Core.Set] makes it ready for Add. It is not safe for concurrent use.
type Core struct {
	space Space
	count poolimpl.Tally
}

// Set implements [poolimpl.ParamCore].
func (c *Core) Set(params any) { c.space.Set(*params.(*Params)) }

// Features implements [poolimpl.FeaturedCore].
func (c *Core) Features() poolimpl.Features {
	p := &c.space.params
	return poolimpl.Features{Streams: p.Streams, Pages: p.Pages, Moves: p.Pages && p.Streams, Shares: p.Shares}
}

// Close drops the chunks.
func (c *Core) Close() { *c = Core{space: Space{sizes: c.space.sizes}} }

// Add makes the chunk [base, base+size) available under the number slot.
func (c *Core) Add(slot uint32, base, size uint64) { c.space.Add(slot, base, size) }

// Remove removes an empty chunk.
func (c *Core) Remove(slot uint32) { c.space.Remove(slot) }

// Used returns the bytes that the live blocks of a chunk take up.
func (c *Core) Used(slot uint32) uint64 { return c.space.Used(slot) }

// Need returns the size of a chunk that is sure to serve the request, 0 if none could.
func (c *Core) Need(bytes, _ uint64) uint64 { return c.space.Need(bytes) }

// Alloc allocates a block of bytes bytes. Its address is a multiple of align, a power of two, and of the granule. Alloc reports false if no
// chunk has room.
func (c *Core) Alloc(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	i := c.space.Alloc(bytes, bytes, align)
	if i == 0 {
		return 0, 0, false
	}
	if c.space.params.Counters {
		c.count.CountAlloc(bytes)
	} else {
		c.count.CountLive(bytes)
	}
	slot, off = c.space.Place(i)
	return slot, off, true
}

// Free frees the block at addr, of a request for that many bytes, and returns its chunk. A wrong address or length changes nothing. The
// verdict on a second free is Double as long as the memory is free.
func (c *Core) Free(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	link := c.space.Find(addr)
	if link == nil {
		return 0, c.space.Classify(addr)
	}
	if !c.space.Live(*link) { // it is pending
		return 0, poolimpl.Double
	}
	if c.space.Asked(*link) != bytes {
		return 0, poolimpl.Foreign
	}
	slot = c.space.Slot(*link)
	c.space.Free(link)
	c.count.CountFree(bytes)
	if c.space.params.Trims && (c.space.Used(slot) == 0 || c.space.params.Pages && c.space.Vacated()) {
		return slot, poolimpl.Emptied
	}
	return slot, poolimpl.Freed
}

// Undo is Free for a block that no caller has received. The block does not count as handed out, but the peak may include it.
func (c *Core) Undo(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	slot, v = c.Free(addr, bytes)
	if c.space.params.Counters && v <= poolimpl.Emptied {
		c.count.Uncount()
	}
	return slot, v
}

// Flush lets requests of any size use empty chunks, and reports whether it was keeping one from them.
func (c *Core) Flush() bool { return c.space.params.PreferUsed && c.space.releaseReserve() }

// Usage returns the counts. Costs O(chunks).
func (c *Core) Usage() poolimpl.Usage {
	u := c.count.Usage()
	u.Occupied = c.space.Occupied()
	u.LargestFree = c.space.Largest()
	return u
}

// AllocFast is Alloc for the alignment that every block has.
func (c *Core) AllocFast(bytes uint64) (slot uint32, off uint64, ok bool) { return c.Alloc(bytes, 1) }

// FreeFast reports false: [Core.Free] frees all blocks.
func (c *Core) FreeFast(_, _ uint64) bool { return false }
