package shards

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	core "github.com/poolgen/poolgen/templates/classes"
	"github.com/poolgen/poolgen/templates/feature"
)

const _ = feature.Classes // the condition of the declaration below

// Classes adds what the size classes of all shards hold, shard by shard.
//
//poolgen:if feature.Classes
func (c *Core) Classes(all *poolimpl.Classes) { c.each(func(s *shard) { s.core.Classes(all) }) }

// ClassAt returns the size of the class of a live block, or 0 if the block is of no class.
//
//poolgen:if fronted
func ClassAt(c *Core, addr uint64) uint64 {
	s := c.chunkOf(addr).shard
	s.mu.Lock()
	defer s.mu.Unlock()
	return core.ClassAt(&s.core, addr)
}
