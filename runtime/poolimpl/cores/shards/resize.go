package shards

// BlockAt returns the live block that starts at addr, and the bytes that the block was asked for with. Costs the lock of a shard.
func (c *Core) BlockAt(addr uint64) (slot uint32, off, bytes uint64, ok bool) {
	ch := c.chunkOf(addr)
	if ch == nil {
		return 0, 0, 0, false
	}
	ch.shard.mu.Lock()
	defer ch.shard.mu.Unlock()
	return ch.shard.core.BlockAt(addr)
}

// Resize makes the block at addr, of bytes bytes, one of n bytes, if the suballocator of its shard does. Costs the lock of the shard.
func (c *Core) Resize(addr, bytes, n uint64) bool {
	ch := c.chunkOf(addr)
	if ch == nil {
		return false
	}
	ch.shard.mu.Lock()
	defer ch.shard.mu.Unlock()
	return ch.shard.core.Resize(addr, bytes, n)
}
