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
	t, at := c.chunkOf(slot)
	base := t.starts[at]
	c.back.Walk(slot, from, func(p poolrt.Piece) bool {
		s := c.find(base + p.Off)
		if p.State != poolrt.PieceLive || s == nil || base+p.Off-s.addr >= s.room {
			return see(p)
		}
		if word, bit := s.bitOf(base + p.Off); word.Load()&sealed != 0 { // dissolved: it has the bytes asked for
			if i, _ := s.index(base + p.Off); word.Load()&bit != 0 {
				p.Asked = s.asked(i)
			}
			return see(p)
		}
		return poolimpl.Row{Off: s.off, Size: uint64(s.size), Count: uint64(s.count)}.Walk(from, s.pieceState, see)
	})
}

// pieceState returns the state of a block, for Walk.
func (s *slab) pieceState(i uint64) (state poolrt.PieceState, asked uint64) {
	if !s.isLive(i) {
		return poolrt.PieceCached, 0
	}
	return poolrt.PieceLive, s.asked(i)
}
