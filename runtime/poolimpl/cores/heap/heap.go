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
	Space
	poolimpl.Tally
}

// Set implements [poolimpl.ParamCore].
func (c *Core) Set(params any) { c.Space.Set(*params.(*Params)) }

// Features implements [poolimpl.FeaturedCore].
func (c *Core) Features() poolimpl.Features {
	return poolimpl.Features{Streams: c.Streams, Pages: c.Pages, Moves: c.Pages && c.Streams, Shares: c.Shareable}
}

// Close drops the chunks.
func (c *Core) Close() { *c = Core{Space: Space{sizes: c.Space.sizes}} }

// Need returns the size of a chunk that is sure to serve the request, 0 if none could.
func (c *Core) Need(bytes, _ uint64) uint64 { return c.Space.Need(bytes) }

// Alloc allocates a block of bytes bytes. Its address is a multiple of align, a power of two, and of the granule. Alloc reports false if no
// chunk has room.
func (c *Core) Alloc(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	i := c.Space.Alloc(bytes, bytes, align)
	if i == 0 {
		return 0, 0, false
	}
	c.CountAlloc(bytes)
	slot, off = c.Space.Place(i)
	return slot, off, true
}

// Free frees the block at addr, of a request for that many bytes, and returns its chunk. A wrong address or length changes nothing. The
// verdict on a second free is Double as long as the memory is free.
func (c *Core) Free(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	link := c.Space.Find(addr)
	if link == nil {
		return 0, c.Space.Classify(addr)
	}
	if !c.Space.Live(*link) { // it is pending
		return 0, poolimpl.Double
	}
	if c.Space.Asked(*link) != bytes {
		return 0, poolimpl.Foreign
	}
	slot = c.Space.Slot(*link)
	c.Space.Free(link)
	c.CountFree(bytes)
	if c.Trims && (c.Space.Used(slot) == 0 || c.Pages && c.Space.Vacated()) {
		return slot, poolimpl.Emptied
	}
	return slot, poolimpl.Freed
}

// Undo is Free for a block that no caller has received. The block does not count as handed out, but the peak may include it.
func (c *Core) Undo(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	slot, v = c.Free(addr, bytes)
	if v <= poolimpl.Emptied {
		c.Uncount()
	}
	return slot, v
}

// Flush lets requests of any size use empty chunks, and reports whether it was keeping one from them.
func (c *Core) Flush() bool { return c.PreferUsed && c.Space.releaseReserve() }

// Usage returns the counts. Costs O(chunks).
func (c *Core) Usage() poolimpl.Usage {
	u := c.Tally.Usage()
	if !c.Counters { // to count costs no more than to ask
		u.Allocs, u.PeakBytes = 0, 0
	}
	u.Occupied = c.Space.Occupied()
	u.LargestFree = c.Space.Largest()
	return u
}

// AllocFast is Alloc for the alignment that every block has.
func (c *Core) AllocFast(bytes uint64) (slot uint32, off uint64, ok bool) { return c.Alloc(bytes, 1) }

// FreeFast reports false: [Core.Free] frees all blocks.
func (c *Core) FreeFast(_, _ uint64) bool { return false }
