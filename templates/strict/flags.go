package strict

import (
	"math/bits"
	"sync/atomic"
)

// flags note what each of a row of things was last seen to be, by one bit: a shortcut for those who look for one that is not like that.
//
// A mark and what it is about do not change together. A goroutine that sets a mark reads what it is about again, and clears the mark if that has changed;
// a goroutine that changes what a mark is about reads the mark afterwards, and clears it. One of the two sees what the other did, so that no mark stays
// wrong.
type flags []atomic.Uint64

// newFlags returns marks for n things, none of which is set.
func newFlags(n uint64) flags { return make(flags, (n+63)/64) }

// set sets a mark. It writes only if that changes something, so that many can look.
func (m flags) set(i uint64) {
	if word, bit := &m[i/64], uint64(1)<<(i%64); word.Load()&bit == 0 {
		word.Or(bit)
	}
}

// clear undoes set.
func (m flags) clear(i uint64) {
	if word, bit := &m[i/64], uint64(1)<<(i%64); word.Load()&bit != 0 {
		word.And(^bit)
	}
}

// next returns the first of the things from i on, but below n, that has no mark; n if all have.
func (m flags) next(i, n uint64) uint64 {
	for i < n {
		if open := ^m[i/64].Load() >> (i % 64); open != 0 {
			return min(i+uint64(bits.TrailingZeros64(open)), n)
		}
		i = i&^63 + 64
	}
	return n
}
