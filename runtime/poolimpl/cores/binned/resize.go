package binned

// BlockAt returns the live block that starts at addr, and the bytes that the block was asked for with. Costs O(1): a probe for each size that slabs
// have.
func (c *Core) BlockAt(addr uint64) (slot uint32, off, bytes uint64, ok bool) {
	if s, i := c.slabWith(addr); s != nil {
		size := c.bins[s.bin]
		e := uint64(*s.entry(i))
		if e < liveFlag || s.addr+i*size != addr {
			return 0, 0, 0, false
		}
		return s.slot, s.off + i*size, size - (e - liveFlag), true
	}
	return c.Core.BlockAt(addr)
}

// Resize makes the block at addr, of bytes bytes, one of n bytes. It reports false, and changes nothing, if there is no such block, if the bin of n
// bytes is another one or, for a block of no bin, if the heap has no room behind the block.
func (c *Core) Resize(addr, bytes, n uint64) bool {
	s, i := c.slabWith(addr)
	if s == nil {
		return (n-1 >= c.top || n == bytes) && c.Core.Resize(addr, bytes, n)
	}
	size := c.bins[s.bin]
	if !s.lives(i, size, addr, bytes) || n-1 >= c.top || c.binOf(n) != int(s.bin) || size-n >= liveFlag {
		return false
	}
	*s.entry(i) = uint16(liveFlag + size - n)
	c.CountResize(bytes, n)
	return true
}

// slabWith returns the slab that an address lies in, and the index of the block there; nil if there is none. Slabs of one length start at its
// multiples, so there is one candidate for each length.
func (c *Core) slabWith(addr uint64) (*slab, uint64) {
	if len(c.lines) == 0 {
		return nil, 0
	}
	most := c.binSlabs[c.binOf(c.top)].mask
	for mask := c.least - 1; mask <= most; mask = 2*mask + 1 {
		s := c.at(c.slabAt(addr &^ mask))
		if size := c.bins[s.bin]; addr-s.addr < uint64(s.blocks)*size {
			return s, min(c.binSlabs[s.bin].index(addr-s.addr), uint64(s.blocks)-1) // within the last block, the index is that of one more
		}
	}
	return nil, 0
}
