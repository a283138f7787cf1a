package slabs

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Walk calls see for each piece of a chunk, from an offset on, until see reports false. Blocks of a slab that are not live are kept for its
// bin. The bytes that a block was asked for with may be missing if it was taken just now.
func (c *Core) Walk(slot uint32, from uint64, see func(poolrt.Piece) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	base := c.chunks.At(slot).base
	c.back.Walk(slot, from, func(p poolrt.Piece) bool {
		s := c.find(base + p.Off)
		if p.State != poolrt.PieceLive || s == nil || base+p.Off-s.addr >= s.room {
			return see(p)
		}
		if s.holder(base+p.Off) == inDissolved {
			p.State, p.Asked = s.pieceState(s.locate(base + p.Off))
		}
		if s.phase == dissolved {
			return see(p)
		}
		return poolimpl.Row{Off: s.off, Size: uint64(s.size), Count: uint64(s.blocks)}.Walk(from, func(i uint64) (poolrt.PieceState, uint64) { return s.pieceState(s.block(i)) }, see)
	})
}

// pieceState returns the state of a block, and the bytes that it was asked for with.
func (s *slab) pieceState(p place) (state poolrt.PieceState, asked uint64) {
	word := p.word.Load()
	if word&p.bit() == 0 {
		return poolrt.PieceCached, 0
	}
	if word&s.pendings()&(p.bit()<<perLine) != 0 {
		return poolrt.PiecePending, s.asked(p)
	}
	return poolrt.PieceLive, s.asked(p)
}
