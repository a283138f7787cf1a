package binned

import "github.com/poolgen/poolgen/templates/feature"

// Reset frees all live blocks and keeps the chunks. The heap gets all slabs back, also those that bins keep. No block may be pending. The cost does not
// depend on the blocks: it is that of the bins, the chunks, and of clearing the index of the heap and the page map.
func (c *Core) Reset() {
	if len(c.slabs) == 0 {
		return // no chunk was ever added
	}
	c.space.Reset()
	c.count.CountReset()
	c.slabs, c.side = c.slabs[:1], c.side[:0]
	for b := range c.binSlabs {
		q := &c.binSlabs[b]
		q.open, q.keptSlab, q.unused, q.count = 0, 0, 0, 0
	}
	for slot := range c.chunks {
		c.chunks[slot].used = 0
	}
	c.pages.reset()
	if feature.Streams {
		c.pending = 0
	}
}

// reset removes all regions.
func (p *pages) reset() {
	clear(p.bucket)
	p.regions, p.count, p.unused = p.regions[:1], 0, 0
}
