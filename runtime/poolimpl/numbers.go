package poolimpl

import "math/bits"

// Numbers tells the numbers of blocks of one size from their addresses, if the size is no constant. It multiplies by the inverse of the odd part of the size
// (Granlund and Montgomery, Division by Invariant Integers using Multiplication, 1994); a rotation divides by the power of two, and moves a remainder to the top.
type Numbers struct {
	inverse uint64 // of the odd part of the size, modulo 1<<64
	shift   int    // the size is the odd part times 1<<shift
}

// NumbersOf returns the Numbers of a size.
func NumbersOf(size uint64) Numbers {
	shift := bits.TrailingZeros64(size)
	return Numbers{inverse(size >> shift), shift}
}

// Of returns off divided by the size if a block can start at off, otherwise more than any chunk has blocks, so one comparison decides. Of is inlined.
func (n Numbers) Of(off uint64) uint64 { return bits.RotateLeft64(off*n.inverse, -n.shift) }

// inverse returns the inverse of an odd number modulo 1<<64, by Newton's method: each step doubles the number of right bits, of which the number itself
// has three.
func inverse(odd uint64) uint64 {
	x := odd
	for range 5 {
		x *= 2 - odd*x
	}
	return x
}
