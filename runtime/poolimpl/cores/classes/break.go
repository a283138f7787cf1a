package classes

// Break is that of the heap. No class keeps the blocks when they are freed.
func (c *Core) Break(addr, stride, count uint64, live func(k uint64) bool) {
	c.Core.Break(addr, stride, count, live)
	c.grow()
	for k := range count {
		if live(k) {
			c.nodes[*c.Find(addr + k*stride)] = uint8(len(c.classes))
		}
	}
}
