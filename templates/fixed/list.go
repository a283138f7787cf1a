package fixed

import "math/bits"

// List is the list of free blocks of a chunk. It is a value of four words: a loop that takes or gives many blocks keeps a copy in
// registers, where each step costs no more than the entry of its block, and puts it back at the end.
type List struct {
	head index   // first block of the list; none when it is empty
	next []index // per carved block: its successor on the list, or used
}

// Pop takes the first block off the list, unless the list is empty. Off is its place in the chunk.
func (l List) Pop() (rest List, off uint64, ok bool) {
	h := uint64(l.head)
	if h < uint64(len(l.next)) {
		l.head, l.next[h] = l.next[h], used
		return l, h * blockSize, true
	}
	return l, 0, false
}

// Push puts the block at off on the list, if it is a live one.
func (l List) Push(off uint64) (longer List, ok bool) {
	i := number(off)
	if i < uint64(len(l.next)) && l.next[i] == used {
		l.head, l.next[i] = index(i), l.head
		return l, true
	}
	return l, false
}

// number is off/blockSize where that division is exact, and otherwise more than a chunk can have blocks: one comparison
// then tells both that a block starts at off, and that it lies in the chunk. Exact division is multiplication by the inverse modulo 2^64
// of the divisor's odd part and rotation by the rest, of which a power of two leaves the rotation alone. (Granlund and Montgomery, "Division by
// Invariant Integers using Multiplication", 1994, section 9.)
func number(off uint64) uint64 {
	return bits.RotateLeft64(off*inverse, -bits.TrailingZeros64(blockSize))
}

// The inverse by Newton's method: each step doubles the number of right bits, of which there are five at first.
const (
	odd              = blockSize / (blockSize & -blockSize)
	inverse5         = 3*odd ^ 2
	inverse10        = inverse5 * (2 - odd*inverse5) & (1<<10 - 1)
	inverse20        = inverse10 * (2 - odd*inverse10) & (1<<20 - 1)
	inverse40        = inverse20 * (2 - odd*inverse20) & (1<<40 - 1)
	inverse   uint64 = inverse40 * (2 - odd*inverse40) & (1<<64 - 1)
)
