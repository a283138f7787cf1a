package shards

import (
	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/templates/feature"
)

// Park makes a live block a parked one.
//
//poolgen:if feature.Streams
func (c *Core) Park(addr, bytes uint64) runtime.Verdict {
	s := c.owner(addr)
	if s == nil {
		return runtime.Foreign
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.Park(addr, bytes)
}

// Unpark makes a parked block live again: it was handed out once more.
//
//poolgen:if feature.Streams
func (c *Core) Unpark(addr, bytes uint64) (slot uint32, off uint64) {
	s := c.owner(addr)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.Unpark(addr, bytes)
}

// Retire frees a parked block. It was counted when it was parked.
//
//poolgen:if feature.Streams
func (c *Core) Retire(addr, bytes uint64) (slot uint32, v runtime.Verdict) {
	s := c.owner(addr)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.Retire(addr, bytes)
}

// Undo takes back a block as if it had never been handed out. The peak alone remembers it.
//
//poolgen:if feature.Streams
func (c *Core) Undo(addr, bytes uint64) (slot uint32, v runtime.Verdict) {
	s := c.owner(addr)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.Undo(addr, bytes)
}

// Look gives the verdict of a free of the block, and leaves the block as it is.
//
//poolgen:if feature.Shareable
func (c *Core) Look(addr, bytes uint64) runtime.Verdict {
	s := c.owner(addr)
	if s == nil {
		return runtime.Foreign
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.Look(addr, bytes)
}

const _ = feature.Streams || feature.Shareable // the conditions of what stands here
