package heap

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Lookup returns the verdict that a free of the block would get, and changes nothing. Costs O(1).
func (c *Core) Lookup(addr, bytes uint64) poolimpl.Verdict {
	link := c.Space.Find(addr)
	switch {
	case link == nil:
		return c.Space.Classify(addr)
	case !c.Space.Live(*link):
		return poolimpl.Double
	case c.Space.Asked(*link) != bytes:
		return poolimpl.Foreign
	}
	return poolimpl.Freed
}
