package heap

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// Free makes the live block at a link that [Space.Find] returned free again and merges it with the free ranges around it. It returns
// the node of the free range. Good fit takes constant time, first and best fit logarithmic.
func (s *Space) Free(link *uint32) uint32 {
	i := *link
	d := s.at(i)
	*link = d.link
	s.index.count--
	s.chunk(d).used -= d.size
	if paged {
		if feature.Trims {
			s.lastFreed = freedRange{unit: d.unit, size: d.size}
		}
	}
	if q := d.next; s.at(q).place&stateMask == stateFree {
		s.unlink(q)
		s.mergeNext(i, q)
	}
	d.place &^= stateMask
	if p := d.prev; s.at(p).place&stateMask == stateFree {
		s.unlink(p)
		s.mergeNext(p, i)
		i = p
	}
	s.link(i)
	if paged {
		if feature.Trims {
			s.lastFreed.part = i
		}
	}
	return i
}

// mergeNext adds the range that follows i to it.
func (s *Space) mergeNext(i, next uint32) {
	d, e := s.at(i), s.at(next)
	d.size += e.size
	d.next = e.next
	s.at(e.next).prev = i
	s.freeNode(next)
}

// Classify says what is wrong with a free of an address that [Space.Find] does not know: memory in a chunk that is free is taken
// for a second free, anything else is foreign. It walks the blocks of the chunk; only a mistake pays for it.
//
//go:noinline
func (s *Space) Classify(addr uint64) poolimpl.Verdict {
	u := addr / granule
	for slot := range s.chunks {
		c := &s.chunks[slot]
		off := u - c.unit
		if off >= uint64(c.size) || addr&(granule-1) != 0 {
			continue
		}
		i := c.first
		for s.at(i).unit-c.unit+uint64(s.at(i).size) <= off { // distances, as a chunk may end at 2^64
			i = s.at(i).next
		}
		if s.at(i).place&stateMask == stateFree {
			return poolimpl.Double
		}
	}
	return poolimpl.Foreign
}
