package direct

import "github.com/poolgen/poolgen/runtime"

// Walk shows the one piece that a chunk is.
func (c *Core) Walk(slot uint32, _ uint64, see func(runtime.Piece) bool) {
	ch := &c.chunks[slot]
	p := runtime.Piece{Size: ch.size, Asked: ch.bytes}
	switch {
	case ch.bytes != 0:
		p.State = runtime.PieceLive
	case c.Used(slot) != 0:
		p.State, p.Asked = runtime.PiecePending, ch.size
	}
	see(p)
}
