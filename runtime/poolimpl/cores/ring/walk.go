package ring

import (
	"sort"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Walk calls see with the pieces of a chunk from an offset on, until see reports false. The space of a freed block
// behind an older live one is in no piece, as it cannot be used yet.
func (c *Core) Walk(slot uint32, from uint64, see func(poolrt.Piece) bool) {
	ch := &c.chunks[slot]
	for k := from / c.params.ArenaSize; k < uint64(len(ch.arenas)); k++ {
		if !ch.arenas[k].walk(from, c.mask, see) {
			return
		}
	}
	if next := c.cut(slot); next.size > 0 {
		free(next.start, next.start+(ch.size-next.start)&^c.mask, see)
	}
}

// walk is Walk for an arena. It returns false if see did.
func (a *arena) walk(from, mask uint64, see func(poolrt.Piece) bool) bool {
	switch end := a.start + a.size; {
	case a.oldest == a.newest:
		return free(a.start, end, see)
	case a.isRound():
		return a.blocks(a.round, a.newest, from, mask, see) && free(a.head, a.tail(), see) && a.blocks(a.oldest, a.round, from, mask, see)
	default:
		return free(a.start, a.tail(), see) && a.blocks(a.oldest, a.newest, from, mask, see) && free(a.head, end, see)
	}
}

// free calls see with the free piece between two offsets, unless it is empty. It returns false if see did.
func free(off, end uint64, see func(poolrt.Piece) bool) bool {
	return off >= end || see(poolrt.Piece{Off: off, Size: end - off})
}

// blocks calls see with the blocks from number i on and below end. They must lie in the order of their numbers. It returns false if see did.
func (a *arena) blocks(i, end, from, mask uint64, see func(poolrt.Piece) bool) bool {
	first := sort.Search(int(end-i), func(k int) bool { return a.at(i+uint64(k)).off > from })
	for i += uint64(max(first-1, 0)); i < end; i++ {
		b := a.at(i)
		p := poolrt.Piece{Off: b.off, Asked: b.bytes, State: poolrt.PieceLive}
		if p.Asked >= pendingFlag {
			p.Asked -= pendingFlag
			p.State = poolrt.PiecePending
		}
		p.Size = (p.Asked + mask) &^ mask
		if b.bytes > 0 && !see(p) {
			return false
		}
	}
	return true
}
