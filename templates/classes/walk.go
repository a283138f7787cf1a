package classes

import "github.com/poolgen/poolgen/runtime"

// Walk shows the pieces of a chunk from an offset on, until see reports false.
func (c *Core) Walk(slot uint32, from uint64, see func(runtime.Piece) bool) {
	c.space.Walk(slot, from, func(_ uint32, p runtime.Piece) bool { return see(p) })
}
