package classes

import (
	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/templates/feature"
	"github.com/poolgen/poolgen/templates/heap"
)

const _ = feature.Shareable // the condition of what stands here

// Lookup gives the verdict of a free of the block, and leaves the block as it is. Constant time.
//
//poolgen:if feature.Shareable
func (c *Core) Lookup(addr, bytes uint64) runtime.Verdict {
	link := c.space.Find(addr)
	switch {
	case link == nil:
		return c.space.Classify(addr)
	case !heap.Live(&c.space, *link):
		return runtime.Double
	case c.space.Asked(*link) != bytes:
		return runtime.Foreign
	}
	return runtime.Freed
}
