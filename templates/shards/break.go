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

const _ = fronted // only directives use it
