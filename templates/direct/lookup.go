package direct

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

const _ = feature.Shareable // only directives use it

// Lookup returns the verdict that a free of the block would get, and changes nothing. Costs O(1).
//
//poolgen:if feature.Shareable
func (c *Core) Lookup(addr, bytes uint64) poolimpl.Verdict {
	_, v := c.classify(addr, bytes)
	return v
}
