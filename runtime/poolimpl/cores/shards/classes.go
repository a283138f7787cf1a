package shards

import "github.com/poolgen/poolgen/runtime/poolimpl"

// Classes adds what the size classes of all shards hold, shard by shard.
func (c *Core) Classes(all *poolimpl.Classes) {
	c.each(func(s *shard) {
		if of, ok := s.core.(poolimpl.ClassCore); ok {
			of.Classes(all)
		}
	})
}
