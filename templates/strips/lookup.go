package strips

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

const _ = feature.Shareable // only directives use it

// Lookup returns poolimpl.Freed for a range of bytes that lies within the blocks and strips of a chunk, and poolimpl.Foreign for any other. Single
// blocks are not distinguished. Costs O(chunks).
//
//poolgen:if feature.Shareable
func (c *Core) Lookup(addr, bytes uint64) poolimpl.Verdict {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.chunks.Lookup(addr, bytes)
}
