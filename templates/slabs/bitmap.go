package slabs

import (
	"math/bits"
	"sync/atomic"
)

// bitmap is a set of bits that any number of goroutines change. A summary tells which words may have a bit, so the next bit is found with a
// few loads among many words.
//
// A word and its bit in the summary do not change together. A goroutine that clears the bit reads the word again afterwards, and sets the
// bit if the word has any. A goroutine that sets a bit of the word reads the summary afterwards. One of the two sees what the other did.
type bitmap struct {
	words   []atomic.Uint64
	summary []atomic.Uint64
}

// newBitmap returns n bits, a multiple of 64, none of which is set.
func newBitmap(n int) bitmap {
	return bitmap{make([]atomic.Uint64, n/64), make([]atomic.Uint64, (n/64+63)/64)}
}

// set sets bit i, and reports whether it was clear. It writes only if that changes something.
func (m *bitmap) set(i uint32) bool {
	word, bit := &m.words[i/64], uint64(1)<<(i%64)
	if word.Load()&bit != 0 {
		return false
	}
	word.Or(bit)
	m.setSummary(i / 64)
	return true
}

// setSummary notes that word w has a bit.
func (m *bitmap) setSummary(w uint32) {
	if word, bit := &m.summary[w/64], uint64(1)<<(w%64); word.Load()&bit == 0 {
		word.Or(bit)
	}
}

// clear clears bit i.
func (m *bitmap) clear(i uint32) {
	w := i / 64
	if bit := uint64(1) << (i % 64); m.words[w].And(^bit) != bit {
		return
	}
	m.summary[w/64].And(^(uint64(1) << (w % 64)))
	if m.words[w].Load() != 0 {
		m.setSummary(w)
	}
}

// next returns the first bit that is set, from bit i on and below bit end.
func (m *bitmap) next(i, end uint32) (at uint32, ok bool) {
	for i < end {
		w := i / 64
		if some := m.words[w].Load() >> (i % 64); some != 0 {
			at = i + uint32(bits.TrailingZeros64(some))
			return at, at < end
		}
		i = m.nextWord(w+1) * 64
	}
	return 0, false
}

// nextWord returns the first word from w on that may have a bit, or the number of words if there is none.
func (m *bitmap) nextWord(w uint32) uint32 {
	n := uint32(len(m.words))
	for w < n {
		if some := m.summary[w/64].Load() >> (w % 64); some != 0 {
			return w + uint32(bits.TrailingZeros64(some))
		}
		w = w&^63 + 64
	}
	return n
}
