package binned

// Reset frees all live blocks and keeps the chunks. The heap gets all slabs back, also those that bins keep. No block may be pending. The cost does not
// depend on the blocks: it is that of the bins, the chunks, and of clearing the index of the heap and that of the slabs.
func (c *Core) Reset() {
	if len(c.lines) == 0 {
		return // no chunk was ever added
	}
	c.Space.Reset()
	c.CountReset()
	c.lines = c.lines[:1]
	for b := range c.binSlabs {
		q := &c.binSlabs[b]
		q.open, q.keptSlab, q.unused, q.count = 0, 0, 0, 0
	}
	for slot := range c.chunks {
		c.chunks[slot].used, c.chunks[slot].out = 0, 0
	}
	clear(c.index.bucket)
	c.index.count = 0
	c.pending = 0
}
