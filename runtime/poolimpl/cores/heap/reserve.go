package heap

// reserve says when empty chunks are kept for large requests.
type reserve struct {
	usual uint32 // size of the smallest chunk so far, in granules
	open  uint8
}

// Whether requests of any size may use empty chunks.
const (
	openNever  = 0
	openOnce   = 1 // the next request may: the chunk was added for it
	openAlways = 2 // all may, until a chunk is added: the pool cannot grow
)

// chunkAdded notes a new chunk.
func (s *reserve) chunkAdded(size uint32) {
	if s.usual == 0 || size < s.usual {
		s.usual = size
	}
	s.open = openOnce
}

// requestServed notes that a request got what it asked for.
func (s *reserve) requestServed() {
	if s.open == openOnce {
		s.open = openNever
	}
}

// reserved reports whether free range i is kept from a request of n granules: an empty chunk, larger than the usual ones, of which the
// request would leave more than an eighth.
func (s *Space) reserved(i, n uint32) bool {
	d := s.at(i)
	return d.prev|d.next == 0 && n < d.size-d.size/8 && d.size > s.reserve.usual && s.reserve.open == openNever
}

// instead returns another range for a request, at a multiple of align granules, from which the range found, i, is reserved; 0 if there is none. With first fit it is
// the first one that is not reserved; those that are reserved are out of the way meanwhile. The other fits have found the smallest range: a larger one, in a chunk
// that is in use, stays whole for a large request. The pool grows instead, and gives back what is empty. On traces of models that takes less memory.
//
//go:noinline
func (s *Space) instead(i, n uint32, align uint64) (other uint32) {
	if s.Fit != FirstFit {
		return 0
	}
	s.unlink(i)
	if other = s.chooseAligned(n, align); other != 0 && s.reserved(other, n) {
		other = s.instead(other, n, align)
	}
	s.link(i)
	return other
}

// releaseReserve lets requests of any size use empty chunks, and reports whether there is one that they did not get.
func (s *Space) releaseReserve() bool {
	if s.reserve.open == openAlways {
		return false
	}
	for slot := range s.chunks {
		if c := &s.chunks[slot]; c.first != 0 && c.size > s.reserve.usual && s.empty(uint32(slot)) {
			s.reserve.open = openAlways
			return true
		}
	}
	return false
}
