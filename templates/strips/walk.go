package strips

import (
	"cmp"
	poolrt "github.com/poolgen/poolgen/runtime"
	"slices"
)

// Walk shows the pieces of a chunk from an offset on, until see reports false. What is left of a strip is kept for its processor.
func (c *Core) Walk(slot uint32, from uint64, see func(poolrt.Piece) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	strips := c.stripsOf(slot)
	c.chunks.Walk(slot, from, func(p poolrt.Piece) bool {
		if p.State != poolrt.PieceLive {
			return see(p)
		}
		at, end := p.Off, p.Off+p.Size
		for _, s := range strips {
			taken := min(s.word.Load()&usedMask, s.size)
			if off := s.off + taken; !showPiece(at, off, poolrt.PieceLive, see) || !showPiece(off, s.off+s.size, poolrt.PieceCached, see) {
				return false
			}
			at = s.off + s.size
		}
		return showPiece(at, end, poolrt.PieceLive, see)
	})
}

// showPiece shows the piece between two offsets, if there is any, and reports whether to go on.
func showPiece(off, end uint64, state poolrt.PieceState, see func(poolrt.Piece) bool) bool {
	if off >= end {
		return true
	}
	p := poolrt.Piece{Off: off, Size: end - off, State: state}
	if state == poolrt.PieceLive {
		p.Asked = p.Size
	}
	return see(p)
}

// stripsOf lists the strips of a chunk that are in use, in the order of their addresses. The lock is held.
func (c *Core) stripsOf(slot uint32) (some []*strip) {
	list := *c.procStrips.Load()
	for i := range list {
		if s := list[i].strip.Load(); s != nil && s.slot == slot {
			some = append(some, s)
		}
	}
	slices.SortFunc(some, func(a, b *strip) int { return cmp.Compare(a.off, b.off) })
	return some
}
