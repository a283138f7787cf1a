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
	c.measure()
}

// Remove takes an empty chunk away, and the slabs that bins keep there.
func (c *Core) Remove(slot uint32) {
	for b := range c.shelf {
		if q := &c.shelf[b]; q.kept != 0 && c.at(q.kept).slot == slot {
			c.dismiss(q)
		}
	}
	c.where.Remove(slot)
	c.space.Remove(slot)
	c.chunks[slot] = chunk{}
	c.measure()
}

// measure computes how large slabs may be from the largest chunk.
func (c *Core) measure() {
	var most uint64
	for i := range c.chunks {
		most = max(most, c.chunks[i].size)
	}
	c.reach = min(most/chunkParts, largestSlab)
}

// Flush gives the slabs that bins keep back to the heap.
func (c *Core) Flush() bool {
	any := false
	for b := range c.shelf {
		if q := &c.shelf[b]; q.kept != 0 {
			c.dismiss(q)
			any = true
		}
	}
	return any
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
