package binned

import (
	"github.com/poolgen/poolgen/templates/heap"
	"github.com/poolgen/poolgen/templates/tally"
)

// Break is [heap.Break] for a block that is in no slab. Nor are the blocks that it becomes.
func Break(c *Core, addr, stride, count uint64, live func(k uint64) bool) {
	i := *c.space.Find(addr)
	c.count.CountFree(c.space.Asked(i))
	for range heap.BreakBlock(&c.space, i, stride, count, live) {
		tally.CountLive(&c.count, stride)
	}
}

// Around is [heap.Around] for a block that is in no slab.
func Around(c *Core, addr uint64) (before, room, behind uint64) {
	return heap.AroundBlock(&c.space, addr)
}
