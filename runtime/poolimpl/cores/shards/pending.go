package shards

import "github.com/poolgen/poolgen/runtime/poolimpl"

// Defer makes a live block a pending one, in its shard.
func (c *Core) Defer(addr, bytes uint64) poolimpl.Verdict {
	ch := c.chunkOf(addr)
	if ch == nil {
		return poolimpl.Foreign
	}
	s := ch.shard
	own := s.enter()
	v := s.stream.Defer(addr, bytes)
	s.leave(own)
	return v
}

// Reuse makes a pending block live again, and counts an allocation.
func (c *Core) Reuse(addr, bytes uint64) (slot uint32, off uint64) {
	s := c.chunkOf(addr).shard
	own := s.enter()
	slot, off = s.stream.Reuse(addr, bytes)
	s.leave(own)
	return slot, off
}

// Reclaim frees a pending block. Defer has counted the free.
func (c *Core) Reclaim(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	ch := c.chunkOf(addr)
	s := ch.shard
	own := s.enter()
	slot, v = s.stream.Reclaim(addr, bytes)
	s.noteFreed(ch)
	s.leave(own)
	return slot, v
}

// Lookup returns the verdict that a free of the block would get, and changes nothing.
func (c *Core) Lookup(addr, bytes uint64) poolimpl.Verdict {
	ch := c.chunkOf(addr)
	if ch == nil {
		return poolimpl.Foreign
	}
	s := ch.shard
	s.Lock()
	defer s.Unlock()
	return s.core.(poolimpl.SharingCore).Lookup(addr, bytes)
}
