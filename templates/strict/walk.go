package strict

import (
	"sync/atomic"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// Walk calls see with the pieces of a chunk from an offset on, until see reports false.
func (c *Core) Walk(slot uint32, from uint64, see func(poolrt.Piece) bool) {
	if feature.Magazines {
		c.recalls.Lock() // a recall moves blocks
		defer c.recalls.Unlock()
	}
	ch := c.chunks.At(slot)
	poolimpl.Row{Size: blockSize, Count: ch.count}.Walk(from, ch.pieceState, see)
}

// pieceState returns the state of block i, and the bytes that were asked for.
func (ch *chunk) pieceState(i uint64) (s poolrt.PieceState, asked uint64) {
	w, bit := i/perWord, uint64(1)<<(i%perWord)
	word := ch.Words[w].Load()
	if word&bit == 0 {
		return poolrt.PieceFree, 0
	}
	if feature.Streams {
		if word&(bit<<perWord) != 0 {
			return poolrt.PiecePending, itemBytes
		}
	}
	if feature.Magazines {
		if uint64(atomic.LoadUint32(&ch.inMagazine[w].some))&bit != 0 {
			return poolrt.PieceCached, 0
		}
	}
	return poolrt.PieceLive, itemBytes
}
