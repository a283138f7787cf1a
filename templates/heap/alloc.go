package heap

// tries is how many ranges are looked at one by one when none is sure to hold a request.
const tries = 64

// Alloc cuts a block of at least room bytes out of a free range and returns its node, 0 if no range has room. Its address is a multiple
// of align, a power of two, and of the granule. It is remembered as a request for bytes bytes, at most room: with what rounding and an unsplit rest
// add, the difference has to fit 32 bits. Good fit takes constant time, first
// and best fit logarithmic.
func (s *Space) Alloc(room, bytes, align uint64) uint32 {
	if room-1 >= maxBytes {
		return 0
	}
	n := uint32((room-1)/granule + 1)
	var i uint32
	if align <= granule {
		i = s.choose(n)
	} else {
		i = s.chooseAligned(n, align/granule)
	}
	if i == 0 {
		return 0
	}
	if preferUsed {
		if s.reserved(i, n) {
			return 0
		}
		s.reserve.requestServed()
	}
	s.unlink(i)
	if s.at(i).size-n >= leastRest {
		s.link(s.split(i, n))
	}
	d := s.at(i)
	d.place |= stateLive
	d.note = uint32(uint64(d.size)*granule - bytes)
	s.chunk(d).used += d.size
	s.insertIndex(i)
	return i
}

// choose returns a free range of at least n granules, 0 if there is none.
func (s *Space) choose(n uint32) uint32 {
	if fit == fitGood {
		return s.searchBins(n)
	}
	return s.searchTree(n)
}

// chooseAligned returns a free range that starts at a multiple of align granules and has at least n, 0 if there is none. A range
// that has the room to spare is sure to hold such a block; what is left in front of it stays a free range. If there is no such range,
// a few that may do are looked at.
func (s *Space) chooseAligned(n uint32, align uint64) uint32 {
	var i uint32
	if roomy := uint64(n) + align - 1; roomy < 1<<32 {
		i = s.choose(uint32(roomy))
	}
	if i == 0 {
		i = s.scan(n, align)
	}
	if i == 0 {
		return 0
	}
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

// scan looks at single ranges for one that holds n granules at a multiple of align granules, and at the empty chunks
// if there are too many.
func (s *Space) scan(n uint32, align uint64) uint32 {
	if fit == fitGood {
		return s.scanBins(n, align)
	}
	return s.scanTree(n, align)
}

// holds reports whether n granules at a multiple of align granules fit into a free range.
func (s *Space) holds(i, n uint32, align uint64) bool {
	front := -s.at(i).unit & (align - 1)
	return front+uint64(n) <= uint64(s.at(i).size) && front < 1<<32
}

// empty reports whether a chunk is one free range.
func (s *Space) empty(slot uint32) bool {
	d := s.at(s.chunks[slot].first)
	return d.place&stateMask == stateFree && d.next == 0
}

// emptyChunk returns the free range of an empty chunk that holds n granules at a multiple of align granules, 0 if there is none. Where
// memory comes by pages, it comes to chunks that are not empty, so any range will do.
func (s *Space) emptyChunk(n uint32, align uint64) uint32 {
	if paged {
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

// split shortens a range to its first n granules and returns a new node for the rest. Neither may be in the structure
// that requests search.
func (s *Space) split(i, n uint32) uint32 {
	j := s.newNode()
	d, e := s.at(i), s.at(j)
	e.unit, e.size, e.place = d.unit+uint64(n), d.size-n, d.place
	e.prev, e.next = i, d.next
	s.at(d.next).prev = j
	d.next, d.size = j, n
	return j
}
