package shards

import poolrt "github.com/poolgen/poolgen/runtime"

// Walk calls see with the pieces of a chunk from an offset on, until see reports false. The chunk's shard is locked meanwhile.
func (c *Core) Walk(slot uint32, from uint64, see func(poolrt.Piece) bool) {
	s := c.chunks.At(slot).shard
	s.mu.Lock()
	defer s.mu.Unlock()
	s.core.Walk(slot, from, see)
}
