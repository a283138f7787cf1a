package binned

import (
	"unsafe"
)

// chunk is an entry of the chunk table.
type chunk struct {
	size uint64
	used uint64 // bytes of the live and pending blocks in slabs; unless Trims, as of the last count
	out  uint64 // bytes of the blocks that are not on the lists of their slabs: live, pending or ready
}

// chunk returns the chunk of a slab. No slot comes from a caller, so all are within bounds.
func (c *Core) chunk(s *slab) *chunk {
	return (*chunk)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(c.chunks)), uintptr(s.slot)*unsafe.Sizeof(chunk{})))
}

// Add makes the chunk [base, base+size) available under the number slot.
func (c *Core) Add(slot uint32, base, size uint64) {
	if len(c.lines) == 0 {
		c.layOut(size)
		c.lines = append(c.lines, line{})
		c.growIndex()
	}
	for uint32(len(c.chunks)) <= slot {
		c.chunks = append(c.chunks, chunk{})
	}
	c.chunks[slot] = chunk{size: size}
	c.Space.Add(slot, base, size)
	c.reach = max(c.reach, reach(size))
}

// Reserve makes the addresses [base, base+size) a chunk. Memory comes and goes by pages of so many bytes, the same in all chunks; at first
// there is none.
func (c *Core) Reserve(slot uint32, base, size, page uint64) {
	c.Add(slot, base, size)
	c.Space.Reserve(slot, page)
}

// Remove removes an empty chunk, and flushes the bins first, as they may keep blocks and slabs there.
func (c *Core) Remove(slot uint32) {
	c.Flush()
	c.Space.Remove(slot)
	c.chunks[slot] = chunk{}
	c.reach = 0
	for i := range c.chunks {
		c.reach = max(c.reach, reach(c.chunks[i].size))
	}
}

// reach returns how large slabs may be if the largest chunk has that size.
func reach(size uint64) uint64 { return min(size/chunkParts, largestSlab) }

// Flush gives all ready blocks back to their slabs, and the slabs without live blocks to the heap. It reports whether there were any.
func (c *Core) Flush() bool {
	found := false
	for b := range c.binSlabs {
		q := &c.binSlabs[b]
		found = found || q.count|q.keptSlab != 0
		c.drain(q, q.count)
		if q.keptSlab != 0 {
			c.freeSlab(q.keptSlab)
			q.keptSlab = 0
		}
	}
	return found
}
