package heap

import "github.com/poolgen/poolgen/runtime"

// Give makes the live block at a link that [Space.Find] returned free again and merges it with the free ranges around it. It returns
// the node of the free range. Good fit takes constant time, first and best fit logarithmic.
func (s *Space) Give(link *uint32) uint32 {
	i := *link
	d := &s.nodes[i]
	*link = d.link
	s.index.count--
	s.chunks[d.place>>stateBits].used -= d.size
	return s.merge(i)
}

// merge turns a block into free space. A free neighbour takes it in, which keeps that neighbour's place in the structure where
// it can; a block between two of them joins them.
func (s *Space) merge(i uint32) uint32 {
	d := &s.nodes[i]
	p, q := &s.nodes[d.prev], &s.nodes[d.next]
	before, after := p.place&stateMask == stateFree, q.place&stateMask == stateFree
	if before {
		size := p.size + d.size
		into := d.prev
		if after {
			size += q.size
			s.unlink(d.next)
			s.leave(d.next)
		}
		s.leave(i)
		s.resize(into, p.low, size)
		return into
	}
	if after {
		into, low := d.next, d.low
		size := d.size + q.size
		s.leave(i)
		s.resize(into, low, size)
		return into
	}
	d.place &^= stateMask
	s.link(i)
	return i
}

// leave takes a node out of the list of its chunk.
func (s *Space) leave(i uint32) {
	d := &s.nodes[i]
	if d.prev != 0 {
		s.nodes[d.prev].next = d.next
	} else {
		s.chunks[d.place>>stateBits].first = d.next
	}
	if d.next != 0 {
		s.nodes[d.next].prev = d.prev
	}
	s.drop(i)
}

// Judge says what is wrong with a free of an address that [Space.Find] does not know: memory in a chunk that is free is taken
// for a second free, anything else is foreign. It walks the blocks of the chunk; only a mistake pays for it.
func (s *Space) Judge(addr uint64) runtime.Verdict {
	u := addr / granule
	for slot := range s.chunks {
		c := &s.chunks[slot]
		off := u - c.unit
		if off >= uint64(c.size) || addr&(granule-1) != 0 {
			continue
		}
		i := c.first
		for uint64(s.nodes[i].low-uint32(c.unit))+uint64(s.nodes[i].size) <= off {
			i = s.nodes[i].next
		}
		if s.nodes[i].place&stateMask == stateFree {
			return runtime.Double
		}
	}
	return runtime.Foreign
}
