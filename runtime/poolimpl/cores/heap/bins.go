package heap

import "github.com/poolgen/poolgen/runtime/poolimpl"

// link lets requests find a free range. Where time matters, callers decide themselves: [Space.insertBin] calls nothing, so it needs no stack frame.
func (s *Space) link(i uint32) {
	if s.tree {
		s.insertTree(i)
	} else {
		s.insertBin(i)
	}
}

// unlink keeps requests from finding a free range. Where time matters, callers decide themselves, as for [Space.link].
func (s *Space) unlink(i uint32) {
	if s.tree {
		s.removeTree(i)
	} else {
		s.removeBin(i)
	}
}

// insertBin puts a free range into its bin.
func (s *Space) insertBin(i uint32) {
	s.ranges.add(i)
	d := s.at(i)
	d.link, d.note = s.free.Push(poolimpl.SizeBin(d.size), i), 0
	s.at(d.link).note = i // may be node 0: to write there costs less than a branch that is hard to predict
}

// removeBin takes a free range out of its bin.
func (s *Space) removeBin(i uint32) {
	s.ranges.remove(i)
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
	if s.tree {
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

// tries is how many ranges scan looks at, one by one, when none is sure to hold the request.
const tries = 64

// scan looks at free ranges one by one, from the smallest that may do, for one that holds n granules at a multiple of align granules. After
// [tries] ranges, scan looks at the empty chunks.
func (s *Space) scan(n uint32, align uint64) uint32 {
	if s.tree {
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
	if s.tree {
		return uint64(s.largestInTree()) << (s.shift & 63)
	}
	// This looks at what scan looks at: some ranges of the last bin, then the empty chunks.
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
	return uint64(size) << (s.shift & 63)
}
