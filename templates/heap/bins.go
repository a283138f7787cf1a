package heap

import "github.com/poolgen/poolgen/runtime/poolimpl"

// link makes a free range one that requests find.
func (s *Space) link(i uint32) {
	if !goodFit {
		s.insertTree(i)
		return
	}
	d := s.at(i)
	d.link, d.note = s.free.Push(poolimpl.SizeBin(d.size), i), 0
	s.at(d.link).note = i // of node 0, too: that costs less than a branch that cannot be predicted
}

// unlink makes a free range one that requests do not find.
func (s *Space) unlink(i uint32) {
	if !goodFit {
		s.removeTree(i)
		return
	}
	d := s.at(i)
	s.at(d.link).note = d.note
	if d.note != 0 {
		s.at(d.note).link = d.link
		return
	}
	s.free.Pop(poolimpl.SizeBin(d.size), d.link)
}

// choose returns a free range of at least n granules, 0 if there is none.
func (s *Space) choose(n uint32) uint32 {
	if !goodFit {
		return s.searchTree(n)
	}
	if s.free.Empty() {
		return 0
	}
	b := poolimpl.SizeBin(n)
	if i := s.free.Head(b); s.at(i).size >= n {
		return i
	}
	if i := s.free.First(b + 1); i != 0 {
		return i // all ranges of larger bins are large enough
	}
	return s.scan(n, 1)
}

// tries is how many ranges are looked at one by one when none is sure to hold a request.
const tries = 64

// scan looks at free ranges one by one, the smallest first, for one that holds n granules at a multiple of align granules. If there are too many, scan
// looks at the empty chunks.
func (s *Space) scan(n uint32, align uint64) uint32 {
	if !goodFit {
		return s.scanTree(n, align)
	}
	left := tries
	i := s.free.First(poolimpl.SizeBin(n))
	for i != 0 {
		b := poolimpl.SizeBin(s.at(i).size)
		for i != 0 {
			if s.holds(i, n, align) {
				return i
			}
			if left--; left == 0 {
				return s.emptyChunk(n, align)
			}
			i = s.at(i).link
		}
		i = s.free.First(b + 1)
	}
	return 0
}

// Largest returns the bytes of the largest request that succeeds without another chunk.
func (s *Space) Largest() uint64 {
	if !goodFit {
		return uint64(s.largestInTree()) * granule
	}
	// As many ranges of the last bin as scan looks at, then the empty chunks.
	var size uint32
	i := s.free.Last()
	for left := tries; left > 0 && i != 0; left-- {
		size = max(size, s.at(i).size)
		i = s.at(i).link
	}
	if i != 0 {
		for slot := range s.chunks {
			if s.empty(uint32(slot)) {
				size = max(size, s.chunks[slot].size)
			}
		}
	}
	return uint64(size) * granule
}
