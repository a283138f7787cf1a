package bump

import poolrt "github.com/poolgen/poolgen/runtime"

// Walk shows the pieces of a chunk from an offset on, until see reports false. All that was handed out is one piece. The rest of
// a chunk before the current one is waste.
func (c *Core) Walk(slot uint32, _ uint64, see func(poolrt.Piece) bool) {
	ch := &c.chunks[slot]
	start, used := ch.start(), c.Used(slot)
	if used > 0 && !see(poolrt.Piece{Off: start, Size: used, Asked: used, State: poolrt.PieceLive}) {
		return
	}
	if rest := ch.end() - start - used; rest > 0 && int(ch.place) >= c.at {
		see(poolrt.Piece{Off: start + used, Size: rest})
	}
}
