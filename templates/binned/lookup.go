package binned

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

const _ = feature.Shareable // the condition of the declarations below

// Lookup returns the verdict that a free of the block would get, and changes nothing. Costs O(1).
//
//poolgen:if feature.Shareable
func (c *Core) Lookup(addr, bytes uint64) poolimpl.Verdict {
	if s, i := c.slabFor(addr, bytes); s != nil {
		if !s.lives(i, bins[s.bin], addr, bytes) {
			return c.classify(addr)
		}
		return poolimpl.Freed
	}
	link := c.space.Find(addr)
	switch {
	case link == nil || !c.space.Live(*link):
		return c.classify(addr)
	case c.space.Asked(*link) != bytes:
		return poolimpl.Foreign
	}
	return poolimpl.Freed
}
