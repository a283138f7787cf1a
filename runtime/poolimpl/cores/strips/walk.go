package strips

import (
	"cmp"
	"slices"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Walk calls see with the pieces of a chunk from an offset on, until see reports false. The rest of a strip in use is a cached piece.
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

// showPiece calls see with the piece between two offsets, unless it is empty. It returns false if see did.
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

// stripsOf returns the strips in use of a chunk, in the order of their addresses. The caller holds the lock.
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
