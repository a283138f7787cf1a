package binned

import (
	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/templates/feature"
	"github.com/poolgen/poolgen/templates/heap"
)

// Walk shows the pieces of a chunk from an offset on, until see reports false. Blocks of a slab that are not in use are kept for their bin.
func (c *Core) Walk(slot uint32, from uint64, see func(runtime.Piece) bool) {
	c.space.Walk(slot, from, func(i uint32, p runtime.Piece) bool {
		if p.State != runtime.PieceCached {
			return see(p)
		}
		s := c.at(heap.Note(&c.space, i))
		size := uint64(s.size)
		return runtime.Row{Off: s.off, Size: size, Count: uint64(s.blocks)}.Walk(from, func(k uint64) (runtime.PieceState, uint64) {
			e := *c.entry(s, k)
			if feature.Streams {
				if e == pending {
					return runtime.PiecePending, size
				}
			}
			if e >= liveFlag {
				return runtime.PieceLive, size + liveFlag - uint64(e)
			}
			return runtime.PieceCached, 0
		}, see)
	})
}
