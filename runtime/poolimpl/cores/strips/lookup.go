package strips

import "github.com/poolgen/poolgen/runtime/poolimpl"

// Lookup returns poolimpl.Freed for a range of bytes that lies within the blocks and strips of a chunk, and poolimpl.Foreign for any other. Single
// blocks are not distinguished. Costs O(chunks).
func (c *Core) Lookup(addr, bytes uint64) poolimpl.Verdict {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.chunks.Lookup(addr, bytes)
}
