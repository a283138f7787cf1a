package ring

import "math/bits"

// index finds the blocks of an arena by their offsets. It is a hash table with chains from younger to older blocks, like those that
// compressors keep for strings (RFC 1951, section 4). A block that leaves the queue is recognised by its number, and need not be removed
// from its chain. Blocks are inserted when a search needs them, so frees in the order of allocation, which need no search, do not
// pay for the index.
type index struct {
	heads []uint64 // by hash: 1 + number of the youngest block of the chain
	older []uint64 // by number, as in the queue: 1 + number of the next older block of the chain
	shift uint64   // 64 minus the bits of a hash
	next  uint64   // number of the first block not inserted
}

// spread is 2^64 divided by the golden ratio: the products of offsets with it differ in their high bits (Knuth, The Art of Computer
// Programming 6.4).
const spread = 0x9E3779B97F4A7C15

// head returns the chain of an offset.
func (x *index) head(off uint64) *uint64 { return &x.heads[off*spread>>(x.shift&63)] }

// search returns the number of the block in the queue that starts at off, if there is one. It first inserts the blocks that are new since the last
// search, or all blocks if the queue has been doubled.
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
