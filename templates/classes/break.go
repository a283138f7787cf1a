package classes

import (
	"github.com/poolgen/poolgen/templates/heap"
	"github.com/poolgen/poolgen/templates/tally"
)

// Break is [heap.Break]. No class keeps the blocks that it makes.
func Break(c *Core, addr, stride, count uint64, live func(k uint64) bool) {
	i := *c.space.Find(addr)
	c.count.CountFree(c.space.Asked(i))
	for range heap.BreakBlock(&c.space, i, stride, count, live) {
		tally.CountLive(&c.count, stride)
	}
	c.grow()
	for k := range count {
		if live(k) {
			c.entries[*c.space.Find(addr + k*stride)].class = uint32(len(bins))
		}
	}
}

// Around is [heap.Around].
func Around(c *Core, addr uint64) (before, room, behind uint64) {
	return heap.AroundBlock(&c.space, addr)
}
