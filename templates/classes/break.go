package classes

// Break makes the live block at addr, which must be there, up to count blocks of stride bytes each, side by side from its start. Those that live
// says are live afterwards, as if each had been asked for with all its bytes; what lies between them and behind the last is free, and merges. No class keeps them.
func Break(c *Core, addr, stride, count uint64, live func(k uint64) bool) {
	i := *c.space.Find(addr)
	c.count.CountFree(c.space.Asked(i))
	for range c.space.Break(i, stride, count, live) {
		c.count.CountLive(stride)
	}
	c.grow()
	for k := range count {
		if live(k) {
			c.entries[*c.space.Find(addr + k*stride)].class = uint32(len(bins))
		}
	}
}

// Around returns how many bytes the live block at addr takes up, which must be there, and how many are free right before and right behind it.
func Around(c *Core, addr uint64) (before, room, behind uint64) {
	return c.space.Around(addr)
}
