package fixed

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Walk calls see for each piece of a chunk, from an offset on, until see reports false.
func (c *Core) Walk(slot uint32, from uint64, see func(poolrt.Piece) bool) {
	ch, size, item := c.chunks[slot], c.params.BlockSize, c.params.ItemBytes
	next := ch.entries()
	carved := poolimpl.Row{Size: size, Count: uint64(len(next))}
	more := carved.Walk(from, func(i uint64) (poolrt.PieceState, uint64) {
		switch {
		case next[i] == Used:
			return poolrt.PieceLive, item
		case next[i] == pending && c.params.Streams:
			return poolrt.PiecePending, item
		case next[i] == retired && c.params.Handles:
			return poolrt.PieceWaste, 0
		}
		return poolrt.PieceFree, 0
	}, see)
	if more && carved.Count < ch.blocks {
		see(poolrt.Piece{Off: carved.Count * size, Size: (ch.blocks - carved.Count) * size})
	}
}
