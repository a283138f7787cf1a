package heap

import "math/bits"

// index finds a block by its address: a hash table with chains through the nodes. A lookup costs one dependent memory access beyond the
// node, less than with open addressing, a table by address or a Go map.
type index struct {
	bucket []uint32 // first node of each chain; a power of two
	shift  uint32   // 64 minus the bits of a bucket's number
	count  uint32   // blocks in the index
}

// spread is 2^64 divided by the golden ratio: products of addresses with it differ in their high bits (Knuth, The Art of Computer
// Programming 3, section 6.4).
const spread = 0x9E3779B97F4A7C15

// Find returns the link that leads to the block starting at addr, nil if there is none. The link is valid until the next change of a block.
func (s *Space) Find(addr uint64) *uint32 {
	u := addr >> (s.shift & 63)
	b := u * spread >> (s.index.shift & 63)
	if b >= uint64(len(s.index.bucket)) || addr&s.mask != 0 {
		return nil // the index is empty, or no block can start there
	}
	p := &s.index.bucket[b]
	for i := *p; i != 0; i = *p {
		d := s.at(i)
		if d.unit == u {
			return p
		}
		p = &d.link
	}
	return nil
}

// insertIndex puts a block into the index.
func (s *Space) insertIndex(i uint32) {
	x := &s.index
	if x.count >= uint32(len(x.bucket)) {
		s.growIndex()
	}
	x.count++
	p := &x.bucket[s.at(i).unit*spread>>(x.shift&63)]
	s.at(i).link = *p
	*p = i
}

// growIndex doubles the buckets, to at least one for each block. More buckets are no faster, as they take up more of the caches.
//
//go:noinline
func (s *Space) growIndex() {
	old := s.index.bucket
	grown := make([]uint32, max(16, 2*len(old)))
	shift := 64 - uint32(bits.TrailingZeros(uint(len(grown))))
	for _, i := range old {
		for i != 0 {
			d := s.at(i)
			next := d.link
			p := &grown[s.at(i).unit*spread>>(shift&63)]
			d.link = *p
			*p = i
			i = next
		}
	}
	s.index.bucket, s.index.shift = grown, shift
}
