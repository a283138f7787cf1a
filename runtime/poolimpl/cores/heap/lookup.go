package heap

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Lookup returns the verdict that a free of the block would get, and changes nothing. Costs O(1).
func (c *Core) Lookup(addr, bytes uint64) poolimpl.Verdict {
	link := c.space.Find(addr)
	switch {
	case link == nil:
		return c.space.Classify(addr)
	case !c.space.Live(*link):
		return poolimpl.Double
	case c.space.Asked(*link) != bytes:
		return poolimpl.Foreign
	}
	return poolimpl.Freed
}
