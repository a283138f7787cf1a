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

// Hoard returns the bytes of the blocks that the shards keep, whose suballocators are [poolimpl.HoardingCore]s.
func (c *Core) Hoard() (n uint64) {
	c.each(func(s *shard) { n += s.core.(poolimpl.HoardingCore).Hoard() })
	return n
}

// KeepLarge makes the shards that have had a chunk keep large chunks. Their suballocators are [poolimpl.HoardingCore]s.
func (c *Core) KeepLarge() {
	c.each(func(s *shard) { s.core.(poolimpl.HoardingCore).KeepLarge() })
}
