package heap

import "math/bits"

// Good fit keeps free ranges in bins by size, 2^mantissa of them for every doubling of the size, each a list with the range
// that became free last in front. Two levels of bit sets find the next bin that has a range in a few instructions.
// The structure is that of the two-level segregated fit (Masmano and others, 2004); five bits, and a look
// at the request's own bin first, bring it close to the utilisation of best fit.
const (
	mantissa = 5
	binCount = (33 - mantissa) << mantissa
	binWords = binCount/64 + 1 // a bin past the last has a word, too
)

type bins struct {
	top   uint64 // a bit for each word that is not 0
	words [binWords]uint64
	heads [binCount]uint32
}

// binOf returns the bin of ranges of n granules. All ranges of one bin are smaller than those of the next.
func binOf(n uint32) uint32 {
	e := uint32(bits.Len32(n|1<<mantissa)) - 1 - mantissa
	return e<<mantissa + n>>(e&31)
}

// insertBin enters a free range at the front of its bin. Writes to node 0, which stands for nothing, are cheaper than a branch
// that cannot be predicted.
func (s *Space) insertBin(i uint32) {
	d := s.at(i)
	b := binOf(d.size)
	h := s.bins.heads[b]
	s.bins.heads[b] = i
	d.link, d.note = h, 0
	s.at(h).note = i
	s.bins.words[b/64] |= 1 << (b % 64)
	s.bins.top |= 1 << (b / 64)
}

// removeBin takes a free range out of its bin. The bits of a bin and of a word that became empty are computed: whether they did
// cannot be predicted either.
func (s *Space) removeBin(i uint32) {
	d := s.at(i)
	s.at(d.link).note = d.note
	if d.note != 0 {
		s.at(d.note).link = d.link
		return
	}
	b := binOf(d.size)
	s.bins.heads[b] = d.link
	w := b / 64
	v := s.bins.words[w] &^ ((uint64(d.link) - 1) >> 63 << (b % 64))
	s.bins.words[w] = v
	s.bins.top &^= ^(v | -v) >> 63 << (w % 64)
}

// head returns the first range of the first bin from b on that has one, 0 if there is none.
func (s *Space) head(b uint32) uint32 {
	if v := s.bins.words[b/64] >> (b % 64); v != 0 {
		return s.bins.heads[b+uint32(bits.TrailingZeros64(v))]
	}
	t := s.bins.top >> (b / 64 & 63) >> 1
	if t == 0 {
		return 0
	}
	w := b/64 + 1 + uint32(bits.TrailingZeros64(t))
	return s.bins.heads[w*64+uint32(bits.TrailingZeros64(s.bins.words[w]))]
}

// searchBins returns a free range of at least n granules, 0 if there is none. The first range of the request's own bin may
// be large enough; each range of a larger bin is. Only a request that would fail looks at more of its own bin.
func (s *Space) searchBins(n uint32) uint32 {
	if s.bins.top == 0 {
		return 0
	}
	b := binOf(n)
	if i := s.bins.heads[b]; s.at(i).size >= n {
		return i
	}
	if i := s.head(b + 1); i != 0 {
		return i
	}
	return s.scanBins(n, 1)
}

// scanBins looks at single ranges, smallest first, for one that holds n granules at a multiple of align granules.
func (s *Space) scanBins(n uint32, align uint64) uint32 {
	left := tries
	i := s.head(binOf(n))
	for i != 0 {
		b := binOf(s.at(i).size)
		for i != 0 {
			if s.holds(i, n, align) {
				return i
			}
			if left--; left == 0 {
				return s.emptyChunk(n, align)
			}
			i = s.at(i).link
		}
		i = s.head(b + 1)
	}
	return 0
}

// largestInBins returns the granules of the largest request that succeeds: the largest of the ranges of the last bin
// that scanBins looks at, or an empty chunk.
func (s *Space) largestInBins() uint32 {
	if s.bins.top == 0 {
		return 0
	}
	w := 63 - uint32(bits.LeadingZeros64(s.bins.top))
	i := s.bins.heads[w*64+63-uint32(bits.LeadingZeros64(s.bins.words[w]))]
	var size uint32
	for left := tries; left > 0; left-- {
		size = max(size, s.at(i).size)
		if i = s.at(i).link; i == 0 {
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
