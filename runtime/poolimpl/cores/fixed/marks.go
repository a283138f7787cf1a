package fixed

import "math/bits"

// marks is a set of small numbers. Its zero value is empty.
type marks struct {
	words  []uint64
	lowest uint32 // words before this one have no bits
}

// reach makes room for a number.
func (m *marks) reach(i uint32) {
	for uint32(len(m.words)) <= i/64 {
		m.words = append(m.words, 0)
	}
}

// set adds a number, for which there is room.
func (m *marks) set(i uint32) {
	m.words[i/64] |= 1 << (i % 64)
	m.lowest = min(m.lowest, i/64)
}

// drop removes a number, for which there is room.
func (m *marks) drop(i uint32) { m.words[i/64] &^= 1 << (i % 64) }

// first returns the smallest number.
func (m *marks) first() (i uint32, ok bool) {
	for ; m.lowest < uint32(len(m.words)); m.lowest++ {
		if w := m.words[m.lowest]; w != 0 {
			return m.lowest*64 + uint32(bits.TrailingZeros64(w)), true
		}
	}
	return 0, false
}
