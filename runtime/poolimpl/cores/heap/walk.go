package heap

import poolrt "github.com/poolgen/poolgen/runtime"

// Walk calls see for each piece of a chunk, from an offset on, until see reports false.
func (c *Core) Walk(slot uint32, from uint64, see func(poolrt.Piece) bool) {
	c.Space.Walk(slot, from, func(_ uint32, p poolrt.Piece) bool { return see(p) })
}

// Walk calls see for each node of a chunk, from the one at an offset on, until see reports false.
func (s *Space) Walk(slot uint32, from uint64, see func(i uint32, p poolrt.Piece) bool) {
	c := &s.chunks[slot]
	for i := s.nodeAt(c, (max(from, uint64(c.lead))-uint64(c.lead))>>(s.shift&63)); i != 0; i = s.at(i).next {
		d := s.at(i)
		p := poolrt.Piece{Off: (d.unit-c.unit)<<(s.shift&63) + uint64(c.lead), Size: uint64(d.size) << (s.shift & 63), State: s.shown(d.state())}
		if p.State == poolrt.PieceLive || p.State == poolrt.PiecePending {
			p.Asked = s.Asked(i)
		}
		if !see(i, p) {
			return
		}
	}
}

// nodeAt returns the node of a chunk that contains the granule off, counted from the first one of the chunk; 0 if the chunk ends before. It
// looks in the index for a block that starts shortly before off, and follows the nodes from there. If there is none, blocks are long, and
// the chunk has few nodes.
func (s *Space) nodeAt(c *chunk, off uint64) uint32 {
	if off >= uint64(c.size) {
		return 0
	}
	i := c.first
	for back := range min(off, 4096) {
		if link := s.Find((c.unit + off - back) << (s.shift & 63)); link != nil {
			i = *link
			break
		}
	}
	for s.at(i).unit-c.unit+uint64(s.at(i).size) <= off { // distances, as a chunk may end at 2^64
		i = s.at(i).next
	}
	return i
}
