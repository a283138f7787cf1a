package classes

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

const _ = feature.Streams // the condition of the declarations below

// Defer makes a live block pending. The block counts as freed, but keeps its place; no class keeps it, and a second free is refused. Costs
// O(1).
//
//poolgen:if feature.Streams
func (c *Core) Defer(addr, bytes uint64) poolimpl.Verdict {
	link := c.space.Find(addr)
	switch {
	case link == nil:
		return c.space.Classify(addr)
	case !c.space.Live(*link):
		return poolimpl.Double
	case c.space.Asked(*link) != bytes:
		return poolimpl.Foreign
	}
	c.space.Defer(*link)
	c.count.CountFree(bytes)
	return poolimpl.Freed
}

// Reuse makes a pending block live again. The block counts as handed out once more.
//
//poolgen:if feature.Streams
func (c *Core) Reuse(addr, bytes uint64) (slot uint32, off uint64) {
	i := *c.space.Find(addr)
	c.space.Reuse(i, bytes)
	if feature.Counters {
		c.count.CountAlloc(bytes)
	} else {
		c.count.CountLive(bytes)
	}
	return c.space.Place(i)
}

// Reclaim frees a pending block: its class keeps it, or the heap gets it back. It was counted as freed when it was deferred.
//
//poolgen:if feature.Streams
func (c *Core) Reclaim(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	c.space.Reuse(*c.space.Find(addr), bytes)
	c.count.CountLive(bytes)
	return c.Free(addr, bytes)
}
