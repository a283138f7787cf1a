package fixed

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// Walk calls see for each piece of a chunk, from an offset on, until see reports false.
func (c *Core) Walk(slot uint32, from uint64, see func(poolrt.Piece) bool) {
	ch := c.chunkIn(slot)
	next := ch.list.next
	carved := poolimpl.Row{Size: blockSize, Count: uint64(len(next))}
	more := carved.Walk(from, func(i uint64) (poolrt.PieceState, uint64) {
		if next[i] == used {
			return poolrt.PieceLive, itemBytes
		}
		if feature.Streams {
			if next[i] == pending {
				return poolrt.PiecePending, itemBytes
			}
		}
		if feature.Handles {
			if next[i] == retired {
				return poolrt.PieceWaste, 0
			}
		}
		return poolrt.PieceFree, 0
	}, see)
	if more && carved.Count < ch.blocks {
		see(poolrt.Piece{Off: carved.Count * blockSize, Size: (ch.blocks - carved.Count) * blockSize})
	}
}
