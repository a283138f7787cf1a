package ring

import "math/bits"

// index finds the blocks of an arena by where they start. It is a hash table with chains that lead from younger blocks to older
// ones, as compressors keep for the strings they have seen (RFC 1951, section 4): what leaves the queue
// is known by its number and need not be taken out. Blocks are entered when a free asks for one, so that frees in order, which
// never ask, do not pay for it.
type index struct {
	heads []uint64 // by hash: 1 + number of the youngest block of the chain
	older []uint64 // by number, as in the queue: the same of the next older block of the chain
	shift uint64   // 64 minus the bits of a hash
	next  uint64   // number of the first block not entered
}

// spread is 2^64 divided by the golden ratio: multiplied by it, offsets at any distance from each other differ
// in their high bits (Knuth, The Art of Computer Programming 3, section 6.4).
const spread = 0x9E3779B97F4A7C15

// head returns the chain of the blocks that start at an offset.
func (x *index) head(off uint64) *uint64 { return &x.heads[off*spread>>(x.shift&63)] }

// search returns the number of the block in the queue that starts at off, if there is one. Each block is entered once, and once more
// when the queue was doubled.
func (a *arena) search(off uint64) (number uint64, ok bool) {
	if a.oldest == a.newest {
		return 0, false
	}
	x := &a.index
	if len(x.older) != len(a.queue) {
		n := 2 * len(a.queue)
		*x = index{heads: make([]uint64, n), older: make([]uint64, n/2), shift: uint64(bits.LeadingZeros64(uint64(n)) + 1)}
	}
	for i := max(x.next, a.oldest); i < a.newest; i++ {
		h := x.head(a.at(i).off)
		x.older[i&a.mask], *h = *h, i+1
	}
	x.next = a.newest
	for i := *x.head(off); i > a.oldest; i = x.older[(i-1)&a.mask] {
		if a.at(i-1).off == off {
			return i - 1, true
		}
	}
	return 0, false
}
