package poolimpl

import (
	"math/bits"
	"sync/atomic"
)

// Bitmap is a set of bits, for any number of goroutines at once. A summary tells which words may have a bit that is set, so the next one is found with a few
// loads among very many. [NewBitmap] makes a Bitmap.
//
// A word and its bit in the summary do not change together. A goroutine that clears the bit of the summary reads the word again afterwards, and sets the bit if
// the word has any. A goroutine that sets a bit of a word reads the summary afterwards. One of the two sees what the other did. So when Set returns, Next finds
// the bit, unless a call of Clear is under way.
type Bitmap struct {
	words   []atomic.Uint64
	summary []atomic.Uint64
}

// NewBitmap returns a Bitmap of n bits, rounded up to a multiple of 64. None of them is set.
func NewBitmap(n uint32) *Bitmap {
	words := (uint64(n) + 63) / 64
	return &Bitmap{make([]atomic.Uint64, words), make([]atomic.Uint64, (words+63)/64)}
}

// Len returns the number of bits.
func (m *Bitmap) Len() uint32 { return uint32(64 * len(m.words)) }

// Set sets bit i. It writes only what changes.
func (m *Bitmap) Set(i uint32) {
	if word, bit := &m.words[i/64], uint64(1)<<(i%64); word.Load()&bit == 0 {
		word.Or(bit)
	}
	m.setSummary(i / 64)
}

// setSummary notes that word w has a bit that is set.
func (m *Bitmap) setSummary(w uint32) {
	if word, bit := &m.summary[w/64], uint64(1)<<(w%64); word.Load()&bit == 0 {
		word.Or(bit)
	}
}

// Clear clears bit i.
func (m *Bitmap) Clear(i uint32) {
	w := i / 64
	if bit := uint64(1) << (i % 64); m.words[w].And(^bit)&^bit != 0 {
		return
	}
	m.summary[w/64].And(^(uint64(1) << (w % 64)))
	if m.words[w].Load() != 0 {
		m.setSummary(w)
	}
}

// Has reports whether bit i is set.
func (m *Bitmap) Has(i uint32) bool { return m.words[i/64].Load()>>(i%64)&1 != 0 }

// Next returns the first bit that is set, from bit i on and below bit end. Cost: a few loads, and one for each 4096 bits in between.
func (m *Bitmap) Next(i, end uint32) (at uint32, ok bool) {
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

// nextWord returns the first word from w on that may have a bit that is set, or the number of words if there is none.
func (m *Bitmap) nextWord(w uint32) uint32 {
	n := uint32(len(m.words))
	for w < n {
		if some := m.summary[w/64].Load() >> (w % 64); some != 0 {
			return w + uint32(bits.TrailingZeros64(some))
		}
		w = w&^63 + 64
	}
	return n
}
