package ring

import (
	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/templates/feature"
)

// shares: what is live can be looked up, for other processes.
const shares = feature.Shareable

// Look gives the verdict of a free of the block, and leaves the block as it is. Costs a search at most.
//
//poolgen:if shares
func (c *Core) Look(addr, bytes uint64) runtime.Verdict {
	a, n, ok := c.locate(addr)
	if !ok {
		return runtime.Foreign
	}
	return a.at(n).judge(bytes)
}
