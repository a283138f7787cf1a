package shards

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// Defer makes a live block a pending one.
//
//poolgen:if feature.Streams
func (c *Core) Defer(addr, bytes uint64) poolimpl.Verdict {
	s := c.owner(addr)
	if s == nil {
		return poolimpl.Foreign
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.Defer(addr, bytes)
}

// Reuse makes a pending block live again: it was handed out once more.
//
//poolgen:if feature.Streams
func (c *Core) Reuse(addr, bytes uint64) (slot uint32, off uint64) {
	s := c.owner(addr)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.Reuse(addr, bytes)
}

// Reclaim frees a pending block. It was counted when it was deferred.
//
//poolgen:if feature.Streams
func (c *Core) Reclaim(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	s := c.owner(addr)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.Reclaim(addr, bytes)
}

// Lookup gives the verdict of a free of the block, and leaves the block as it is.
//
//poolgen:if feature.Shareable
func (c *Core) Lookup(addr, bytes uint64) poolimpl.Verdict {
	s := c.owner(addr)
	if s == nil {
		return poolimpl.Foreign
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.Lookup(addr, bytes)
}

const _ = feature.Streams || feature.Shareable // the conditions of what stands here
