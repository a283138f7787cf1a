package binned

// chunk is an entry of the chunk table.
type chunk struct {
	base  uint64
	size  uint64
	used  uint64   // bytes of the live blocks in slabs
	pages []uint32 // slab of each page, 0 for none; as far as slabs ever reached
}

// Add makes the chunk [base, base+size) available under the number slot.
func (c *Core) Add(slot uint32, base, size uint64) {
	if len(c.slabs) == 0 {
		c.layOut()
		c.slabs = append(c.slabs, slab{})
	}
	for uint32(len(c.chunks)) <= slot {
		c.chunks = append(c.chunks, chunk{})
	}
	c.chunks[slot] = chunk{base: base, size: size}
	c.where.Add(slot, base, size)
	c.space.Add(slot, base, size)
	c.reach = max(c.reach, reach(size))
}

// Remove takes an empty chunk away. Blocks of it may lie ready, and bins keep slabs there: they go first.
func (c *Core) Remove(slot uint32) {
	c.Flush()
	c.where.Remove(slot)
	c.space.Remove(slot)
	c.chunks[slot] = chunk{}
	c.reach = 0
	for i := range c.chunks {
		c.reach = max(c.reach, reach(c.chunks[i].size))
	}
}

// reach returns how large slabs may be for the sake of a chunk of that size.
func reach(size uint64) uint64 { return min(size/chunkParts, largestSlab) }

// Flush gives all blocks that lie ready back to their slabs, and the slabs that are whole to the heap. It reports whether there was
// anything.
func (c *Core) Flush() bool {
	found := false
	for b := range c.shelf {
		q := &c.shelf[b]
		found = found || q.count|q.kept != 0
		c.clear(q, q.count)
		if q.kept != 0 {
			c.giveBack(q.kept)
			q.kept = 0
		}
	}
	return found
}

// slabAt returns the slab that has the page at an offset, 0 if none has.
func (ch *chunk) slabAt(off uint64) uint32 {
	if p := (ch.base%page + off) / page; p < uint64(len(ch.pages)) {
		return ch.pages[p]
	}
	return 0
}

// paint makes a slab the owner of the pages that it begins or covers. The map grows to twice its size, so that each page is copied
// once on average.
func (ch *chunk) paint(off, room uint64, id uint32) {
	lead := ch.base % page
	from, to := (lead+off)/page, (lead+off+room-1)/page+1
	if n := uint64(len(ch.pages)); to > n {
		all := (lead+ch.size-1)/page + 1
		ch.pages = append(make([]uint32, 0, min(max(2*n, to), all)), ch.pages...)[:min(max(2*n, to), all)]
	}
	owned := ch.pages[from:to]
	for i := range owned {
		owned[i] = id
	}
}
