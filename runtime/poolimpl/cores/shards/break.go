package shards

// Break divides a live block into smaller live blocks and free memory. It calls live for each part, with the lock of the shard.
func (c *Core) Break(addr, stride, count uint64, live func(k uint64) bool) {
	ch := c.chunkOf(addr)
	s := ch.shard
	s.mu.Lock()
	s.core.(Fronted).Break(addr, stride, count, live)
	s.noteFreed(ch)
	s.mu.Unlock()
}

// Around returns how many bytes a live block takes up, and how many are free directly before it and behind it.
func (c *Core) Around(addr uint64) (before, room, behind uint64) {
	s := c.chunkOf(addr).shard
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.(Fronted).Around(addr)
}

// AllocNear allocates a block of bytes bytes at a multiple of align from the shard that has an address.
func (c *Core) AllocNear(addr, bytes, align uint64) (slot uint32, off uint64, ok bool) {
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

// ClassAt returns the size of the class of a live block, or 0 if the block is of no class.
func (c *Core) ClassAt(addr uint64) uint64 {
	s := c.chunkOf(addr).shard
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.(Fronted).ClassAt(addr)
}
