package fixed

import (
	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/templates/feature"
)

// Walk shows the pieces of a chunk from an offset on, until see reports false.
func (c *Core) Walk(slot uint32, from uint64, see func(runtime.Piece) bool) {
	ch := &c.current
	if !single {
		if slot != c.slot {
			ch = &c.chunks[slot]
		}
	}
	next := ch.list.next
	carved := runtime.Row{Size: blockSize, Count: uint64(len(next))}
	more := carved.Walk(from, func(i uint64) (runtime.PieceState, uint64) {
		if next[i] == used {
			return runtime.PieceLive, itemBytes
		}
		if feature.Streams {
			if next[i] == pending {
				return runtime.PiecePending, itemBytes
			}
		}
		return runtime.PieceFree, 0
	}, see)
	if more && carved.Count < ch.blocks {
		see(runtime.Piece{Off: carved.Count * blockSize, Size: (ch.blocks - carved.Count) * blockSize})
	}
}
