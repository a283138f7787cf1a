package direct

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Lookup returns the verdict that a free of the block would get, and changes nothing. Costs O(1).
func (c *Core) Lookup(addr, bytes uint64) poolimpl.Verdict {
	_, v := c.classify(addr, bytes)
	return v
}
