package classes

// Break splits the live block at addr, which must be there, into up to count blocks of stride bytes, side by side from its start. Block k
// stays live if live(k) is true, as if it had been asked for with stride bytes. The rest becomes free and merges. No class keeps the blocks
// when they are freed.
func Break(c *Core, addr, stride, count uint64, live func(k uint64) bool) {
	i := *c.space.Find(addr)
	c.count.CountFree(c.space.Asked(i))
	for range c.space.Break(i, stride, count, live) {
		c.count.CountLive(stride)
	}
	c.grow()
	for k := range count {
		if live(k) {
			c.classes[*c.space.Find(addr + k*stride)] = uint8(len(bins))
		}
	}
}

// Around returns the size of the live block at addr, which must be there, and how many bytes are free right before and right behind it.
func Around(c *Core, addr uint64) (before, room, behind uint64) {
	return c.space.Around(addr)
}
