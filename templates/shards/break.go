package shards

import core "github.com/poolgen/poolgen/templates/classes"

// Break makes a live block several smaller ones and free memory, as the suballocator of its chunk does.
//
//poolgen:if fronted
func Break(c *Core, addr, stride, count uint64, live func(k uint64) bool) {
	s := c.owner(addr)
	s.mu.Lock()
	core.Break(&s.core, addr, stride, count, live)
	s.mu.Unlock()
}

// Around returns how many bytes a live block takes up, and how many are free right before and right behind it.
//
//poolgen:if fronted
func Around(c *Core, addr uint64) (before, room, behind uint64) {
	s := c.owner(addr)
	s.mu.Lock()
	defer s.mu.Unlock()
	return core.Around(&s.core, addr)
}

const _ = fronted // the condition of what stands here
