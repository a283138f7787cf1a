package binned

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Lookup returns the verdict that a free of the block would get, and changes nothing. Costs O(1).
func (c *Core) Lookup(addr, bytes uint64) poolimpl.Verdict {
	if s, i := c.slabFor(addr, bytes); s != nil {
		if !s.lives(i, c.bins[s.bin], addr, bytes) {
			return c.classify(addr)
		}
		return poolimpl.Freed
	}
	link := c.Space.Find(addr)
	switch {
	case link == nil || !c.Space.Live(*link):
		return c.classify(addr)
	case c.Space.Asked(*link) != bytes:
		return poolimpl.Foreign
	}
	return poolimpl.Freed
}
