package direct

// BlockAt returns the live block that starts at addr, and the bytes that the block was asked for with. Costs O(1).
func (c *Core) BlockAt(addr uint64) (slot uint32, off, bytes uint64, ok bool) {
	slot, ok = c.table.find(c.chunks, addr)
	if !ok || c.chunks[slot].bytes == 0 {
		return 0, 0, 0, false
	}
	return slot, 0, c.chunks[slot].bytes, true
}

// Resize makes the block at addr, of bytes bytes, one of n bytes. It reports false, and changes nothing, if there is no such block, or if the chunk
// is too small.
func (c *Core) Resize(addr, bytes, n uint64) bool {
	slot, ok := c.table.find(c.chunks, addr)
	if !ok || c.chunks[slot].bytes != bytes || n-1 >= c.chunks[slot].size {
		return false
	}
	c.chunks[slot].bytes = n
	c.count.CountResize(bytes, n)
	return true
}
