package classes

import "github.com/poolgen/poolgen/runtime/poolimpl"

// Reclaim frees a pending block: its class keeps it, or the heap gets it back. It was counted as freed when it was deferred.
func (c *Core) Reclaim(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	c.Space.Reuse(*c.Space.Find(addr), bytes)
	c.CountLive(bytes)
	return c.Free(addr, bytes)
}
