package bump

import poolrt "github.com/poolgen/poolgen/runtime"

// Walk calls see with the pieces of a chunk, until see reports false. All blocks are one piece, and the rest is another. In chunks before the
// current one the rest is in no piece, as it cannot be used.
func (c *Core) Walk(slot uint32, _ uint64, see func(poolrt.Piece) bool) {
	ch := &c.chunks[slot]
	start, used := c.startOf(ch), c.Used(slot)
	if used > 0 && !see(poolrt.Piece{Off: start, Size: used, Asked: used, State: poolrt.PieceLive}) {
		return
	}
	if rest := c.endOf(ch) - start - used; rest > 0 && int(ch.place) >= c.at {
		see(poolrt.Piece{Off: start + used, Size: rest})
	}
}
