package strict

import (
	"math/bits"
	"sync/atomic"
)

// Flags has a bit for each row of a chunk. The bit says that the row was last seen full, or idle: a search skips it.
//
// A flag and its row do not change in one step. A goroutine that sets a flag reads the row again, and clears the flag if the row has changed. A
// goroutine that changes the row reads the flag afterwards, and clears it. At least one of the two sees the change of the other, so no flag stays
// wrong. The bits in the bitmap of open chunks stand for chunks in the same way: they are clear where all rows of the chunk have a flag.
//
// Flags of full rows are set, and bits of open chunks are cleared, with a lock held. Whoever takes that lock knows that no goroutine has done so
// and not looked again. What is marked as full then is full, except for blocks whose frees are under way: each free by compare-and-swap looks at
// the flag, also if another goroutine has freed a block of the row and is about to clear the flag. If the flag is clear already, the bit of the
// chunk may not be set yet. So [Gate.Close] fails while goroutines do both.
type Flags []atomic.Uint64

// NewFlags returns n flags, none of which is set.
func NewFlags(n uint64) Flags { return make(Flags, (n+63)/64) }

// Set sets flag i. It writes only if the flag changes, so that the cache line stays shared.
func (m Flags) Set(i uint64) {
	if word, bit := &m[i/64], uint64(1)<<(i%64); word.Load()&bit == 0 {
		word.Or(bit)
	}
}

// Clear clears flag i, and like Set writes only if the flag changes.
func (m Flags) Clear(i uint64) {
	if word, bit := &m[i/64], uint64(1)<<(i%64); word.Load()&bit != 0 {
		word.And(^bit)
	}
}

// Has reports whether flag i is set.
func (m Flags) Has(i uint64) bool { return m[i/64].Load()>>(i%64)&1 != 0 }

// Count returns how many flags are set.
func (m Flags) Count() (n uint64) {
	for i := range m {
		n += uint64(bits.OnesCount64(m[i].Load()))
	}
	return n
}

// Next returns the first flag from i on and below n that is not set, or n if all are set.
func (m Flags) Next(i, n uint64) uint64 {
	for i < n {
		if open := ^m[i/64].Load() >> (i % 64); open != 0 {
			return min(i+uint64(bits.TrailingZeros64(open)), n)
		}
		i = i&^63 + 64
	}
	return n
}
