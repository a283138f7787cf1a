package binned

import "math/bits"

// index finds a slab by the address at which it starts: a hash table with chains through the slabs.
//
// A slab starts at a multiple of the align of its bin, which is at least its size. So the address and the bin of a block yield the start of
// its slab, without another table, and the length of a block yields its bin, unless a larger bin served the request.
type index struct {
	bucket []uint32 // first slab of each chain; a power of two
	shift  uint32   // 64 minus the bits of a bucket's number
	count  uint32   // slabs in the index
}

const minBuckets = 16

// spread is 2^64 divided by the golden ratio: products of numbers with it differ in their high bits (Knuth, The Art of Computer Programming
// 3, section 6.4).
const spread = 0x9E3779B97F4A7C15

// hash returns the bucket of a slab that starts at an address.
func (x *index) hash(start uint64) uint64 { return start / page * spread >> (x.shift & 63) }

// slabAt returns the slab that starts at an address, 0 if there is none. Slab 0 gets the address before the search, which then always ends
// with a match.
func (c *Core) slabAt(start uint64) uint32 {
	c.at(0).addr = start
	id := c.index.bucket[c.index.hash(start)]
	for c.at(id).addr != start {
		id = c.at(id).chain
	}
	return id
}

// slabOf returns the slab that an address lies in, among those of a bin and the larger ones, and the index of the block there; nil if there
// is none.
func (c *Core) slabOf(addr uint64, b int) (*slab, uint64) {
	for ; b < len(c.binSlabs) && c.binSlabs[b].size != 0; b++ {
		s := c.at(c.slabAt(addr &^ c.binSlabs[b].mask))
		if int(s.bin) == b && addr-s.addr < uint64(s.blocks)*c.bins[b] {
			return s, (addr - s.addr) / c.bins[b]
		}
	}
	return nil, 0
}

// insert puts a slab into the index.
func (c *Core) insert(id uint32) {
	x := &c.index
	if x.count == uint32(len(x.bucket))/2 {
		c.growIndex()
	}
	x.count++
	s := c.at(id)
	p := &x.bucket[x.hash(s.addr)]
	s.chain, *p = *p, id
}

// remove removes a slab from the index.
func (c *Core) remove(id uint32) {
	s := c.at(id)
	p := &c.index.bucket[c.index.hash(s.addr)]
	for *p != id {
		p = &c.at(*p).chain
	}
	*p = s.chain
	c.index.count--
}

// growIndex doubles the buckets, to two or more for each slab.
func (c *Core) growIndex() {
	x := &c.index
	old := x.bucket
	x.bucket = make([]uint32, max(minBuckets, 2*len(old)))
	x.shift = 64 - uint32(bits.TrailingZeros(uint(len(x.bucket))))
	for _, id := range old {
		for id != 0 {
			s := c.at(id)
			p := &x.bucket[x.hash(s.addr)]
			next := s.chain
			s.chain, *p = *p, id
			id = next
		}
	}
}
