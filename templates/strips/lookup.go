package strips

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

const _ = feature.Shareable // the condition of what stands here

// Lookup gives the verdict of a free of the block, and leaves the block as it is. All that lies within a strip counts as a block. Costs O(chunks).
//
//poolgen:if feature.Shareable
func (c *Core) Lookup(addr, bytes uint64) poolimpl.Verdict {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.chunks.Lookup(addr, bytes)
}
