package binned

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Walk calls see for each piece of a chunk, from an offset on, until see reports false. Blocks of a slab that are neither live nor pending
// are kept for their bin.
func (c *Core) Walk(slot uint32, from uint64, see func(poolrt.Piece) bool) {
	c.Space.Walk(slot, from, func(i uint32, p poolrt.Piece) bool {
		if p.State != poolrt.PieceCached {
			return see(p)
		}
		s := c.at(c.Space.Note(i))
		size := c.bins[s.bin]
		return poolimpl.Row{Off: s.off, Size: size, Count: uint64(s.blocks)}.Walk(from, func(k uint64) (poolrt.PieceState, uint64) {
			e := *s.entry(k)
			switch {
			case e == pending:
				return poolrt.PiecePending, size
			case e >= liveFlag:
				return poolrt.PieceLive, size + liveFlag - uint64(e)
			}
			return poolrt.PieceCached, 0
		}, see)
	})
}
