package heap

import "math/bits"

// Good fit keeps free ranges in bins by size, 2^mantissa of them for every doubling of the size, each a list with the range
// that became free last in front. Two levels of bit sets find the next bin that has a range in a few instructions.
// The structure is that of the two-level segregated fit (Masmano and others, 2004); five bits, and a look
// at the request's own bin first, bring it close to the utilisation of best fit.
const (
	mantissa = 5
	binCount = (33 - mantissa) << mantissa
	binWords = binCount / 64
)

type bins struct {
	top   uint64 // a bit for each word that is not 0
	words [binWords]uint64
	heads [binCount]uint32
}

// binOf returns the bin of ranges of n granules. All ranges of one bin are smaller than those of the next.
func binOf(n uint32) uint32 {
	if n < 1<<mantissa {
		return n
	}
	e := uint32(bits.Len32(n)) - 1 - mantissa
	return e<<mantissa + n>>(e&31)
}

// push enters a free range at the front of its bin.
func (s *Space) push(i uint32) {
	d := &s.nodes[i]
	b := binOf(d.size)
	h := s.bins.heads[b]
	d.link, d.note = h, 0
	if h == 0 {
		s.bins.words[b/64] |= 1 << (b % 64)
		s.bins.top |= 1 << (b / 64)
	} else {
		s.nodes[h].note = i
	}
	s.bins.heads[b] = i
}

// pull takes a free range out of its bin.
func (s *Space) pull(i uint32) {
	d := &s.nodes[i]
	if d.link != 0 {
		s.nodes[d.link].note = d.note
	}
	if d.note != 0 {
		s.nodes[d.note].link = d.link
		return
	}
	b := binOf(d.size)
	s.bins.heads[b] = d.link
	if d.link == 0 {
		s.bins.words[b/64] &^= 1 << (b % 64)
		if s.bins.words[b/64] == 0 {
			s.bins.top &^= 1 << (b / 64)
		}
	}
}

// rebin gives a free range another start and size.
func (s *Space) rebin(i, low, size uint32) {
	d := &s.nodes[i]
	if binOf(d.size) == binOf(size) {
		d.low, d.size = low, size
		return
	}
	s.pull(i)
	d.low, d.size = low, size
	s.push(i)
}

// head returns the first range of the first bin from b on that has one.
func (s *Space) head(b uint32) uint32 {
	if b >= binCount {
		return 0
	}
	w := b / 64
	v := s.bins.words[w] >> (b % 64) << (b % 64)
	if v == 0 {
		t := s.bins.top >> (w & 63) >> 1
		if t == 0 {
			return 0
		}
		w += 1 + uint32(bits.TrailingZeros64(t))
		v = s.bins.words[w]
	}
	return s.bins.heads[w*64+uint32(bits.TrailingZeros64(v))]
}

// searchBins returns a free range of at least n granules, 0 if none is found in constant time. The first range of the
// request's own bin may be large enough; each range of a larger bin is.
func (s *Space) searchBins(n uint32) uint32 {
	b := binOf(n)
	if i := s.bins.heads[b]; i != 0 && s.nodes[i].size >= n {
		return i
	}
	return s.head(b + 1)
}

// combBins looks at single ranges, smallest first, for one that holds n granules at a multiple of align granules.
func (s *Space) combBins(n uint32, align uint64) uint32 {
	left := tries
	i := s.head(binOf(n))
	for i != 0 {
		b := binOf(s.nodes[i].size)
		for i != 0 {
			if s.holds(i, n, align) {
				return i
			}
			if left--; left == 0 {
				return s.emptyChunk(n, align)
			}
			i = s.nodes[i].link
		}
		i = s.head(b + 1)
	}
	return 0
}

// largestBinned returns the granules of the largest request that succeeds: the largest of the ranges of the last bin
// that combBins looks at, or an empty chunk.
func (s *Space) largestBinned() uint32 {
	if s.bins.top == 0 {
		return 0
	}
	w := 63 - uint32(bits.LeadingZeros64(s.bins.top))
	i := s.bins.heads[w*64+63-uint32(bits.LeadingZeros64(s.bins.words[w]))]
	var size uint32
	for left := tries; left > 0; left-- {
		size = max(size, s.nodes[i].size)
		if i = s.nodes[i].link; i == 0 {
			return size
		}
	}
	for slot := range s.chunks {
		if s.empty(uint32(slot)) {
			size = max(size, s.chunks[slot].size)
		}
	}
	return size
}
