package ring

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Lookup returns the verdict that a free of the block would get, and changes no block. Costs a search of the index at most.
func (c *Core) Lookup(addr, bytes uint64) poolimpl.Verdict {
	a, n, ok := c.locate(addr)
	if !ok {
		return poolimpl.Foreign
	}
	return a.at(n).classify(bytes)
}
