package heap

import poolrt "github.com/poolgen/poolgen/runtime"

// Alloc cuts a block of at least room bytes out of a free range, for a request of bytes bytes, and returns the node of the block: 0 if no
// range has room. The address is a multiple of align, a power of two, and of the granule; bytes is at most room. With good fit the cost is
// constant, otherwise it is logarithmic in the number of free ranges.
func (s *Space) Alloc(room, bytes, align uint64) uint32 {
	if room-1 >= s.maxBytes {
		return 0
	}
	n := uint32((room-1)>>(s.shift&63) + 1)
	var i uint32
	if align <= s.Granule && !s.PreferUsed {
		i = s.choose(n)
	} else {
		i = s.chooseRarely(n, max(align>>(s.shift&63), 1))
	}
	if i == 0 {
		return 0
	}
	if s.tree {
		s.removeTree(i)
	} else {
		s.removeBin(i)
	}
	if s.at(i).size-n >= s.leastRest {
		if j := s.split(i, n); s.tree {
			s.insertTree(j)
		} else {
			s.insertBin(j)
		}
	}
	d := s.at(i)
	d.setState(poolrt.PieceLive)
	d.note = uint32(uint64(d.size)<<(s.shift&63) - bytes)
	s.chunk(d).used += d.size
	s.insertIndex(i)
	return i
}

// chooseRarely returns a free range for n granules, at its start, where that has to lie at a multiple of align granules, or where ranges are reserved; 0 if
// there is none.
//
//go:noinline
func (s *Space) chooseRarely(n uint32, align uint64) (i uint32) {
	if align > 1 {
		i = s.chooseAligned(n, align)
	} else {
		i = s.choose(n)
	}
	if s.PreferUsed {
		if i != 0 && s.reserved(i, n) {
			i = s.instead(i, n, align)
		}
		if i != 0 {
			s.reserve.requestServed()
		}
	}
	if i != 0 && align > 1 {
		i = s.cutFront(i, align)
	}
	return i
}

// chooseAligned returns a free range that holds n granules at a multiple of align granules, 0 if there is none. Each range of n+align-1 granules does.
func (s *Space) chooseAligned(n uint32, align uint64) uint32 {
	i := s.choose(n)
	if i != 0 && !s.holds(i, n, align) {
		i = 0
		if roomy := uint64(n) + align - 1; roomy < 1<<32 {
			i = s.choose(uint32(roomy))
		}
	}
	if i == 0 {
		i = s.scan(n, align)
	}
	return i
}

// cutFront returns the part of free range i that starts at a multiple of align granules. What lies in front of it stays a free range.
func (s *Space) cutFront(i uint32, align uint64) uint32 {
	front := -s.at(i).unit & (align - 1)
	if front == 0 {
		return i
	}
	s.unlink(i)
	j := s.split(i, uint32(front))
	s.link(i)
	s.link(j)
	return j
}

// holds reports whether n granules at a multiple of align granules fit into free range i.
func (s *Space) holds(i, n uint32, align uint64) bool {
	front := -s.at(i).unit & (align - 1)
	return front+uint64(n) <= uint64(s.at(i).size) && front < 1<<32
}

// empty reports whether a chunk is one free range.
func (s *Space) empty(slot uint32) bool {
	i := s.chunks[slot].first
	return s.ranges.has(i) && s.at(i).next == 0
}

// emptyChunk returns the free range of an empty chunk that holds n granules at a multiple of align granules, 0 if there is none. With
// pages, the range may be any free range, as no chunk is ever empty.
func (s *Space) emptyChunk(n uint32, align uint64) uint32 {
	if s.Pages {
		for _, i := range s.atLeast(n) {
			if s.holds(i, n, align) {
				return i
			}
		}
		return 0
	}
	for slot := range s.chunks {
		i := s.chunks[slot].first
		if s.empty(uint32(slot)) && s.holds(i, n, align) {
			return i
		}
	}
	return 0
}

// split shortens range i to its first n granules and returns a new node for the rest. Requests must not find the range meanwhile, and do
// not find the rest.
func (s *Space) split(i, n uint32) uint32 {
	j := s.newNode()
	d, e := s.at(i), s.at(j)
	e.unit, e.size, e.place = d.unit+uint64(n), d.size-n, d.place
	e.prev, e.next = i, d.next
	s.at(d.next).prev = j
	d.next, d.size = j, n
	return j
}
