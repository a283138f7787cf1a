package classes

import poolrt "github.com/poolgen/poolgen/runtime"

// Walk calls see for each piece of a chunk, from an offset on, until see reports false.
func (c *Core) Walk(slot uint32, from uint64, see func(poolrt.Piece) bool) {
	c.space.Walk(slot, from, func(_ uint32, p poolrt.Piece) bool { return see(p) })
}
