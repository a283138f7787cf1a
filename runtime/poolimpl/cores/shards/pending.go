package shards

import "github.com/poolgen/poolgen/runtime/poolimpl"

// Defer makes a live block a pending one, in its shard.
func (c *Core) Defer(addr, bytes uint64) poolimpl.Verdict {
	ch := c.chunkOf(addr)
	if ch == nil {
		return poolimpl.Foreign
	}
	s := ch.shard
	if !s.mu.TryLock() {
		poolimpl.LockSlow(&s.mu)
	}
	v := s.stream.Defer(addr, bytes)
	s.mu.Unlock()
	return v
}

// Reuse makes a pending block live again, and counts an allocation.
func (c *Core) Reuse(addr, bytes uint64) (slot uint32, off uint64) {
	s := c.chunkOf(addr).shard
	if !s.mu.TryLock() {
		poolimpl.LockSlow(&s.mu)
	}
	slot, off = s.stream.Reuse(addr, bytes)
	s.mu.Unlock()
	return slot, off
}

// Reclaim frees a pending block. Defer has counted the free.
func (c *Core) Reclaim(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	ch := c.chunkOf(addr)
	s := ch.shard
	if !s.mu.TryLock() {
		poolimpl.LockSlow(&s.mu)
	}
	slot, v = s.stream.Reclaim(addr, bytes)
	s.noteFreed(ch)
	s.mu.Unlock()
	return slot, v
}

// Lookup returns the verdict that a free of the block would get, and changes nothing.
func (c *Core) Lookup(addr, bytes uint64) poolimpl.Verdict {
	ch := c.chunkOf(addr)
	if ch == nil {
		return poolimpl.Foreign
	}
	s := ch.shard
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.(poolimpl.SharingCore).Lookup(addr, bytes)
}
