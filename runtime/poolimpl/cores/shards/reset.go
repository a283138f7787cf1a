package shards

// Reset frees all live blocks and keeps the chunks, shard by shard. Other goroutines may allocate and free meanwhile: a block that they allocate may be
// freed too. Costs one lock for each shard and chunk, and what the suballocator
// says.
func (c *Core) Reset() {
	c.each(func(s *shard) { s.core.(interface{ Reset() }).Reset() })
	for _, ch := range c.chunks.All() {
		ch.shard.mu.Lock()
		ch.shard.noteFreed(ch)
		ch.shard.mu.Unlock()
	}
}
