package classes

import (
	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/templates/feature"
	"github.com/poolgen/poolgen/templates/heap"
)

// shares: what is live can be looked up, for other processes.
const shares = feature.Shareable

// Look gives the verdict of a free of the block, and leaves the block as it is. Constant time.
//
//poolgen:if shares
func (c *Core) Look(addr, bytes uint64) runtime.Verdict {
	link := c.space.Find(addr)
	switch {
	case link == nil:
		return c.space.Judge(addr)
	case !heap.Live(&c.space, *link):
		return runtime.Double
	case c.space.Asked(*link) != bytes:
		return runtime.Foreign
	}
	return runtime.Freed
}
