package heap

import poolrt "github.com/poolgen/poolgen/runtime"

// Walk shows the pieces of a chunk from an offset on, until see reports false.
func (c *Core) Walk(slot uint32, from uint64, see func(poolrt.Piece) bool) {
	c.space.Walk(slot, from, func(_ uint32, p poolrt.Piece) bool { return see(p) })
}

// pieces are what nodes of each state are to who looks from outside.
var pieces = [...]poolrt.PieceState{
	stateFree: poolrt.PieceFree, stateLive: poolrt.PieceLive, stateHeld: poolrt.PieceCached,
	statePending: poolrt.PiecePending, stateHole: poolrt.PieceHole,
}

// Walk shows the nodes of a chunk from the one that holds an offset on, until see reports false. What a held block was asked for with is not known.
func (s *Space) Walk(slot uint32, from uint64, see func(i uint32, p poolrt.Piece) bool) {
	c := &s.chunks[slot]
	for i := s.nodeAt(c, from); i != 0; i = s.at(i).next {
		d := s.at(i)
		p := poolrt.Piece{Off: (d.unit-c.unit)*granule + uint64(c.lead), Size: uint64(d.size) * granule, State: pieces[d.place&stateMask]}
		if p.State == poolrt.PieceLive || p.State == poolrt.PiecePending {
			p.Asked = s.Asked(i)
		}
		if !see(i, p) {
			return
		}
	}
}

// reach is how many granules in front of an offset nodeAt looks for the start of a block.
const reach = 4096

// nodeAt returns the node of a chunk that holds an offset, or the first one behind it, 0 if there is none. The index knows where blocks start, so most of
// the time one is found close by; where blocks are so long that none is, a chunk has few.
func (s *Space) nodeAt(c *chunk, off uint64) uint32 {
	i := c.first
	if off < uint64(c.lead) || i == 0 {
		return i
	}
	at := (off - uint64(c.lead)) / granule
	if at >= uint64(c.size) {
		return 0
	}
	for back := range min(at, reach) {
		if link := s.Find((c.unit + at - back) * granule); link != nil {
			i = *link
			break
		}
	}
	for s.at(i).unit-c.unit+uint64(s.at(i).size) <= at {
		i = s.at(i).next
	}
	return i
}
