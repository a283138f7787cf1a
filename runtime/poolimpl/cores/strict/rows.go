package strict

import "sync/atomic"

// Rows are the words of a chunk, with a bit for each block that says whether it is taken. Goroutines look for a word with a free block, each in another part
// of the chunk first. Only the words and the flags change.
type Rows struct {
	Words  []atomic.Uint64
	Full   Flags  // rows that have no free block
	blocks uint64 // bits of a word that stand for blocks
	part   uint64 // words in a region
	parts  uint32 // number of regions, see [Rows.region]
}

// NewRows returns n words. blocks are the bits that stand for blocks. The words are divided into regions, one for each processor. They consist of whole rows,
// unless the chunk is too small.
func NewRows(n, blocks uint64, processors int) Rows {
	m := Rows{Words: make([]atomic.Uint64, n), blocks: blocks, part: max((n+uint64(processors)-1)/uint64(processors), 1)}
	if m.part > Row/2 {
		m.part = (m.part + Row - 1) / Row * Row
	}
	m.parts = max(uint32((n+m.part-1)/m.part), 1)
	m.Full = NewFlags(m.Count())
	return m
}

// Row is the number of words in a row, which has one flag. They fill two neighbouring cache lines, which processors fetch together.
const Row = 16

// Count returns the number of rows of a chunk.
func (m *Rows) Count() uint64 { return (uint64(len(m.Words)) + Row - 1) / Row }

// region returns the words of a chunk, from lo on and below hi, where processor or stream n looks first. Processors with regions of their own write
// to different cache lines.
func (m *Rows) region(n uint32) (lo, hi uint64) {
	lo = uint64(n%m.parts) * m.part
	return lo, min(lo+m.part, uint64(len(m.Words)))
}

// Start returns the word where processor or stream n looks first: those that have the same region begin at different rows.
func (m *Rows) Start(n uint32) uint64 {
	lo, _ := m.region(n)
	return lo + uint64(n/m.parts)%max(m.part/Row, 1)*Row
}

// line is the number of words in a cache line.
const line = 8

// onward returns the word to look at when w is full: the one a cache line further in the region of processor n. Other goroutines that free blocks
// soon after their allocation then write to the lines behind, not to this one.
func (m *Rows) onward(n uint32, w uint64) uint64 {
	lo, hi := m.region(n)
	if next := w + line; w >= lo && next < hi {
		return next
	}
	return lo + (w+1)%line
}

// isOpen reports whether a word has a free block, and no owner.
func (m *Rows) isOpen(w uint64) bool {
	word := m.Words[w].Load()
	return word&m.blocks != m.blocks && word&Owned == 0
}

// isFull reports whether no word of a row has a free block, nor an owner.
func (m *Rows) isFull(r uint64) bool {
	for w := r * Row; w < min((r+1)*Row, uint64(len(m.Words))); w++ {
		if m.Words[w].Load()&(m.blocks|Owned) != m.blocks {
			return false
		}
	}
	return true
}

// rare is the share of free blocks, one in so many, below which a search for them takes longer than to take what was freed last. With several threads it takes
// longer than that: searches meet in the cache lines that others write to.
const rare = 16

// isRare reports whether few blocks are free in the cache line of a word, those of the word left out. A word alone in its line says nothing.
func (m *Rows) isRare(w uint64) bool {
	free, there := uint64(0), uint64(0)
	for i := w - w%line; i < min(w-w%line+line, uint64(len(m.Words))); i++ {
		if i != w {
			free += count(m.blocks &^ m.Words[i].Load())
			there += count(m.blocks)
		}
	}
	return free*rare < there
}

// Near returns a word with a free block, and no owner: w, or the one that onward returns, or another one in the row of w.
func (m *Rows) Near(n uint32, w uint64) (uint64, bool) {
	end := uint64(len(m.Words))
	if w >= end {
		return 0, false
	}
	if m.isOpen(w) {
		return w, true
	}
	if next := m.onward(n, w); next < end && m.isOpen(next) {
		return next, true
	}
	at := w - w%Row
	found, ok := m.opening(w, min(at+Row, end))
	if !ok {
		found, ok = m.opening(at, w)
	}
	return found, ok
}

// Seek returns a word with a free block, and no owner, for processor n. It looks at the region of the processor first, from the row of w on, and
// then at all, from the row of away on: behind the last word that Seek found outside the region, rows have gathered more free blocks than before it. If flag is
// set, the caller holds the lock for flags, and full rows get a flag. If Seek finds none, all rows have one then but those in which a word has an owner.
func (m *Rows) Seek(n uint32, w, away uint64, flag bool) (found uint64, ok bool) {
	lo, hi := m.region(n)
	at, end := w-w%Row, uint64(len(m.Words))
	if at < lo || at >= hi {
		at = lo
	}
	from := min(away-away%Row, end)
	for _, r := range [...][2]uint64{{at, hi}, {lo, at}, {from, end}, {0, from}} { // the last two are of whole rows, so their flags can be set
		if found, ok = m.seekIn(r[0], r[1], flag); ok {
			break
		}
	}
	return found, ok
}

// seekIn returns a word with a free block, and no owner, from w on and below end, in a row without a flag.
func (m *Rows) seekIn(w, end uint64, flag bool) (found uint64, ok bool) {
	for w < end {
		r := w / Row
		if m.Full.Next(r, r+1) > r {
			w = m.Full.Next(r+1, m.Count()) * Row
			continue
		}
		stop := min((r+1)*Row, uint64(len(m.Words)))
		if found, ok = m.opening(w, min(stop, end)); ok {
			return found, true
		}
		if flag && w%Row == 0 && end >= stop && m.isFull(r) {
			m.Full.Set(r)
			if !m.isFull(r) {
				m.Full.Clear(r)
				continue
			}
		}
		w = stop
	}
	return 0, false
}

// opening returns the first open word, from w on and below end.
func (m *Rows) opening(w, end uint64) (uint64, bool) {
	for ; w < end; w++ {
		if m.isOpen(w) {
			return w, true
		}
	}
	return 0, false
}
