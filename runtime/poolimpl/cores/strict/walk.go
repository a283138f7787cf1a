package strict

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Walk calls see with the pieces of a chunk from an offset on, until see reports false.
func (c *Core) Walk(slot uint32, from uint64, see func(poolrt.Piece) bool) {
	c.recalls.Lock() // a recall moves blocks
	defer c.recalls.Unlock()
	ch := c.Chunks.At(slot)
	state := func(i uint64) (poolrt.PieceState, uint64) { return c.pieceState(ch, i) }
	poolimpl.Row{Size: c.params.BlockSize, Count: ch.Blocks}.Walk(from, state, see)
}

// pieceState returns the state of block i, and the bytes that were asked for.
func (c *Core) pieceState(ch *Chunk, i uint64) (s poolrt.PieceState, asked uint64) {
	w, bit := c.bitOf(i)
	switch word := ch.Words[w].Load(); {
	case word&bit == 0:
		return poolrt.PieceFree, 0
	case c.params.Streams && word&(bit<<(c.pending&63)) != 0:
		return poolrt.PiecePending, c.params.ItemBytes
	case ch.inMagazine != nil && ch.AnyInMagazine(w, bit):
		return poolrt.PieceCached, 0
	}
	return poolrt.PieceLive, c.params.ItemBytes
}
