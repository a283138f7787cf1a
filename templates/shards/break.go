package shards

import core "github.com/poolgen/poolgen/templates/classes"

// Break divides a live block into smaller live blocks and free memory. It calls live for each part, with the lock of the shard.
//
//poolgen:if fronted
func Break(c *Core, addr, stride, count uint64, live func(k uint64) bool) {
	ch := c.chunkOf(addr)
	s := ch.shard
	s.mu.Lock()
	core.Break(&s.core, addr, stride, count, live)
	s.noteFreed(ch)
	s.mu.Unlock()
}

// Around returns how many bytes a live block takes up, and how many are free directly before it and behind it.
//
//poolgen:if fronted
func Around(c *Core, addr uint64) (before, room, behind uint64) {
	s := c.chunkOf(addr).shard
	s.mu.Lock()
	defer s.mu.Unlock()
	return core.Around(&s.core, addr)
}

// AllocNear allocates a block of bytes bytes at a multiple of align from the shard that has an address.
//
//poolgen:if fronted
func AllocNear(c *Core, addr, bytes, align uint64) (slot uint32, off uint64, ok bool) {
	ch := c.chunkOf(addr)
	if ch == nil {
		return 0, 0, false
	}
	s := ch.shard
	s.mu.Lock()
	slot, off, ok = s.core.Alloc(bytes, align)
	s.mu.Unlock()
	if ok {
		c.homes[procIndex()].Store(s)
	}
	return slot, off, ok
}

const _ = fronted // only directives use it
