package poolimpl

import "math/bits"

// There are 1<<sizeBits bins for each doubling of the size.
const (
	sizeBits     = 5
	sizeBins     = (33 - sizeBits) << sizeBits
	sizeBinWords = sizeBins/64 + 1 // one more word for First of the bin after the last
)

// SizeBins keeps free ranges by size, for a suballocator with good fit. It stores the first range of each bin; the suballocator numbers the ranges from 1 on,
// and links the ranges of a bin. Two levels of bit sets find the next bin with a range in a few instructions.
//
// The structure is that of the two-level segregated fit (TLSF; Masmano and others, 2004). Its zero value is empty. It is not safe for concurrent use.
type SizeBins struct {
	top   uint64 // has a bit for each word that is not 0
	words [sizeBinWords]uint64
	heads [sizeBins]uint32
}

// SizeBin returns the bin of ranges of n units. All ranges of a bin are smaller than those of the next bin.
func SizeBin(n uint32) uint32 {
	e := uint32(bits.Len32(n|1<<sizeBits)) - 1 - sizeBits
	return e<<sizeBits + n>>(e&31)
}

// Head returns the first range of bin b, or 0 if there is none.
func (s *SizeBins) Head(b uint32) uint32 { return s.heads[b] }

// Push makes range i the first of bin b, and returns the range that was first, or 0 if there was none.
func (s *SizeBins) Push(b, i uint32) (next uint32) {
	next = s.heads[b]
	s.heads[b] = i
	s.words[b/64] |= 1 << (b % 64)
	s.top |= 1 << (b / 64)
	return next
}

// Pop removes the first range of bin b: next becomes the first. If next is 0, the bin becomes empty.
func (s *SizeBins) Pop(b, next uint32) {
	s.heads[b] = next
	// A branch on whether the bin and its word are now empty would be mispredicted, so their bits are computed.
	w := b / 64
	v := s.words[w] &^ ((uint64(next) - 1) >> 63 << (b % 64))
	s.words[w] = v
	s.top &^= ^(v | -v) >> 63 << (w % 64)
}

// First returns the first range of the first bin, from b on, that is not empty; 0 if all are empty.
func (s *SizeBins) First(b uint32) uint32 {
	if v := s.words[b/64] >> (b % 64); v != 0 {
		return s.heads[b+uint32(bits.TrailingZeros64(v))]
	}
	t := s.top >> (b / 64 & 63) >> 1
	if t == 0 {
		return 0
	}
	w := b/64 + 1 + uint32(bits.TrailingZeros64(t))
	return s.heads[w*64+uint32(bits.TrailingZeros64(s.words[w]))]
}

// Empty reports whether all bins are empty.
func (s *SizeBins) Empty() bool { return s.top == 0 }

// Last returns the first range of the last bin that is not empty; 0 if all are empty.
func (s *SizeBins) Last() uint32 {
	if s.top == 0 {
		return 0
	}
	w := 63 - uint32(bits.LeadingZeros64(s.top))
	return s.heads[w*64+63-uint32(bits.LeadingZeros64(s.words[w]))]
}
