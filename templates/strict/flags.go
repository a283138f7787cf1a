package strict

import (
	"math/bits"
	"sync/atomic"
)

// flags has a bit for each of several things, such as the rows of a chunk. The bit says that the thing was last seen full, or idle: a search skips it.
//
// A flag and its thing do not change in one step. A goroutine that sets a flag reads the thing again, and clears the flag if the thing has changed. A
// goroutine that changes the thing reads the flag afterwards, and clears it. At least one of the two sees the change of the other, so no flag stays
// wrong.
//
// Flags that say that something is full are set with [Core.flagging] held. Whoever takes that lock knows that no goroutine has set a flag and not read the
// thing again. A thing with a flag is then full, except for blocks whose frees are under way.
type flags []atomic.Uint64

// newFlags returns n flags, none of which is set.
func newFlags(n uint64) flags { return make(flags, (n+63)/64) }

// len returns the number of flags.
func (m flags) len() uint64 { return 64 * uint64(len(m)) }

// set sets flag i. It writes only if the flag changes, so that the cache line stays shared.
func (m flags) set(i uint64) {
	if word, bit := &m[i/64], uint64(1)<<(i%64); word.Load()&bit == 0 {
		word.Or(bit)
	}
}

// clear clears flag i, and like set writes only if the flag changes.
func (m flags) clear(i uint64) {
	if word, bit := &m[i/64], uint64(1)<<(i%64); word.Load()&bit != 0 {
		word.And(^bit)
	}
}

// count returns how many flags are set.
func (m flags) count() (n uint64) {
	for i := range m {
		n += uint64(bits.OnesCount64(m[i].Load()))
	}
	return n
}

// next returns the first flag from i on and below n that is not set, or n if all are set.
func (m flags) next(i, n uint64) uint64 {
	for i < n {
		if open := ^m[i/64].Load() >> (i % 64); open != 0 {
			return min(i+uint64(bits.TrailingZeros64(open)), n)
		}
		i = i&^63 + 64
	}
	return n
}
