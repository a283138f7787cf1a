package direct

import poolrt "github.com/poolgen/poolgen/runtime"

// Walk calls see with the only piece of a chunk.
func (c *Core) Walk(slot uint32, _ uint64, see func(poolrt.Piece) bool) {
	ch := &c.chunks[slot]
	p := poolrt.Piece{Size: ch.size, Asked: ch.bytes}
	switch {
	case ch.bytes != 0:
		p.State = poolrt.PieceLive
	case c.Used(slot) != 0:
		p.State, p.Asked = poolrt.PiecePending, ch.size
	}
	see(p)
}
