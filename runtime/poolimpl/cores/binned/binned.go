// Package binned serves small requests from bins of fixed sizes and the rest from a heap. A load of mostly small blocks gets the speed of
// fixed blocks, and the small blocks do not lie among the large ones.
//
// A bin takes slabs from the heap, ranges for some blocks of its size, and hands out their blocks. The free blocks of a slab are a list
// through its entries, one for each block. The entry of a live block holds a flag and the number of bytes that the block has beyond those
// asked for, so a free is checked exactly, in its address and its length. The entries lie right behind the description of their slab: for
// slabs of few blocks, all that a free reads of a slab is one line of the cache. An index leads from an address to its slab. The memory
// itself is never touched.
//
// Each bin keeps the few blocks that were freed last ready in front of its slabs. Only when there are none, or too many, the slabs come
// into play, for half of them at once (the idea is that of magazines: Bonwick and Adams, Magazines and Vmem, 2001). A slab without live or
// ready blocks goes back to the heap, but each bin keeps one. Before a request fails because the heap has no room, the heap gets back what
// the bins keep.
//
// A bin that gets no slab, as the heap is full or the chunks are small, takes single blocks from the heap, so nothing fails for lack of a
// slab.
//
// Metadata is 2 bytes a block and about 80 bytes a slab, in arrays without pointers.
package binned

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
)

// Core is bins in front of a heap. What it does not say itself, it does as the heap. Its zero value has no chunks; [Core.Set] makes it ready for Add. It is not safe for concurrent use.
type Core struct {
	bins     []uint64   // sizes, ascending
	top      uint64     // largest bin, 0 before the first chunk
	binSlabs []binSlabs // by bin
	lines    []line     // slabs, each with its entries; the number of a slab is that of its first line, and 0 is no slab
	chunks   []chunk    // by slot
	index    index
	stirred  bool   // blocks have become live or ready since those of each chunk were counted; unless Trims
	pending  uint64 // bytes of pending blocks in slabs
	reach    uint64 // largest size of a slab in bytes
	least    uint64 // see usualSlab
	cells    [cellCount]uint8
	heap.Core
}

// Entries: a block on the list of its slab has the index of the next one, a live block has liveFlag plus its slack, and a block
// that is ready has none.
const (
	liveFlag = 1 << 15
	none     = liveFlag - 1 // end of a list
	pending  = none - 1     // entry of a pending block; the largest number of blocks of a slab
)

// Alloc allocates a block of at least bytes bytes. Its address is a multiple of align, a power of two, and of the alignment of the pool.
// Alloc reports false if no chunk has room. With good fit in the heap, it takes constant time.
func (c *Core) Alloc(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	var q *binSlabs
	// Rounding the request to align changes its bin only if the blocks of that bin would not be aligned.
	if n := (bytes + align - 1) &^ (align - 1); n-1 < c.top {
		b := c.binOf(n)
		if q = &c.binSlabs[b]; !q.suits(bytes, align) || q.count == 0 && !c.refill(b) {
			q = nil
		}
	}
	if q == nil {
		if i := c.allocBlock(bytes, align); i != 0 {
			c.CountAlloc(bytes)
			slot, off = c.Space.Place(i)
			return slot, off, true
		}
		if q = c.largerBin(bytes, align); q == nil {
			return 0, 0, false
		}
	}
	slot, off = c.take(q, bytes)
	return slot, off, true
}

// AllocFast is Alloc for the alignment that every block has. It takes a block that is ready without the steps that other cases need.
func (c *Core) AllocFast(bytes uint64) (slot uint32, off uint64, ok bool) {
	if bytes-1 < c.top {
		if q := &c.binSlabs[c.binOf(bytes)]; q.count != 0 && q.suits(bytes, 1) {
			slot, off = c.take(q, bytes)
			return slot, off, true
		}
	}
	return c.Alloc(bytes, 1)
}

// take hands out the block of a bin that became ready last, for a request of so many bytes.
func (c *Core) take(q *binSlabs, bytes uint64) (slot uint32, off uint64) {
	q.count--
	x := q.ready[q.count%depth]
	s, i := c.at(uint32(x>>32)), x&(1<<32-1)
	size := uint64(q.size)
	*s.entry(i) = uint16(liveFlag + size - bytes)
	if c.Trims {
		c.chunk(s).used += size
	} else {
		c.stirred = true
	}
	c.CountAlloc(bytes)
	return s.slot, s.off + i*size
}

// allocBlock takes a block from the heap. If the heap has no room, it gets back what the bins keep first.
func (c *Core) allocBlock(bytes, align uint64) uint32 {
	i := c.Space.Alloc(bytes, bytes, align)
	if i == 0 && c.Flush() {
		i = c.Space.Alloc(bytes, bytes, align)
	}
	return i
}

// Free frees the block at addr, of a request for that many bytes, and returns its chunk. A wrong address or length changes nothing. The
// verdict on a second free is Double as long as the memory is free. With good fit in the heap, Free takes constant time.
func (c *Core) Free(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	if bytes-1 >= c.top { // in no slab
		return c.freeBlock(addr, bytes)
	}
	b := c.binOf(bytes)
	q := &c.binSlabs[b]
	id := c.slabAt(addr &^ q.mask)
	s := c.at(id)
	i := q.index(addr & q.mask)
	if i >= uint64(s.blocks) || int(s.bin) != b {
		if id, i = c.elsewhere(addr, b); id == 0 {
			return c.freeBlock(addr, bytes)
		}
		s = c.at(id)
		q = &c.binSlabs[s.bin]
	}
	size := uint64(q.size)
	if !s.lives(i, size, addr, bytes) {
		return 0, c.classify(addr)
	}
	*s.entry(i) = none
	if c.Trims {
		c.chunk(s).used -= size
	} else {
		c.stirred = true
	}
	c.CountFree(bytes)
	if q.count == q.depth {
		c.drain(q, q.depth/2)
	}
	q.ready[q.count%depth] = uint64(id)<<32 | i
	q.count++
	if c.Trims && (c.counted(s.slot) == 0 || c.Pages && c.Vacated()) { // a slab went back
		return s.slot, poolimpl.Emptied
	}
	return s.slot, poolimpl.Freed
}

// Undo is Free for a block that no caller has received. The block does not count as handed out, but the peak may include it.
func (c *Core) Undo(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	slot, v = c.Free(addr, bytes)
	if v <= poolimpl.Emptied {
		c.Uncount()
	}
	return slot, v
}

// elsewhere returns the slab that an address lies in and the index of the block there, if that is no slab of the block's own bin b: one of a
// larger bin, for the sake of the alignment or for lack of room, or none, as the heap was full; then the number of the slab is 0.
//
//go:noinline
func (c *Core) elsewhere(addr uint64, b int) (id uint32, i uint64) {
	if link := c.Space.Find(addr); link != nil && c.Space.Live(*link) {
		return 0, 0
	}
	s, i := c.slabOf(addr, b)
	if s == nil {
		return 0, 0
	}
	return c.slabAt(s.addr), i
}

// freeBlock frees a block that is in no slab.
func (c *Core) freeBlock(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	link := c.Space.Find(addr)
	if link == nil || !c.Space.Live(*link) {
		return 0, c.classify(addr)
	}
	if c.Space.Asked(*link) != bytes {
		return 0, poolimpl.Foreign
	}
	slot = c.Space.Slot(*link)
	c.Space.Free(link)
	c.CountFree(bytes)
	if c.Trims && (c.counted(slot) == 0 || c.Pages && c.Vacated()) {
		return slot, poolimpl.Emptied
	}
	return slot, poolimpl.Freed
}

// classify returns the verdict on a free of an address at which no live block of that length starts.
//
//go:noinline
func (c *Core) classify(addr uint64) poolimpl.Verdict {
	if len(c.lines) == 0 {
		return poolimpl.Foreign
	}
	s, i := c.slabOf(addr, 0)
	if s == nil {
		if c.Find(addr) != nil { // pending
			return poolimpl.Double
		}
		return c.Space.Classify(addr)
	}
	if s.addr+i*uint64(c.binSlabs[s.bin].size) == addr && *s.entry(i) < liveFlag {
		return poolimpl.Double
	}
	return poolimpl.Foreign
}
