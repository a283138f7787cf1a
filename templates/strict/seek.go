package strict

import "github.com/poolgen/poolgen/templates/feature"

// seek has the hint of processor n point at a word with a free block, and reports false if there is none anywhere.
func (c *Core) seek(h *hint, n uint32) bool {
	t := c.table.Load()
	if t == nil || c.gate.isClosed() {
		return false
	}
	first := uint64(0) // If [feature.Trims], low chunks fill up first, and the others drain.
	if ch := h.chunk.Load(); ch != nil {
		if w, ok := ch.seek(n, h.word.Load()); ok {
			h.point(ch, w)
			return true
		}
		if !feature.Trims {
			first = min(uint64(ch.slot), uint64(len(t.slots))) // it may have come after the table was looked up
		}
	}
	slots := uint64(len(t.slots))
	return t.seek(h, n, first, slots) || t.seek(h, n, 0, first) || c.scan(h)
}

// seek looks into the chunks of slots from s on, and below end, that have no mark.
func (t *table) seek(h *hint, n uint32, s, end uint64) bool {
	for s = t.full.next(s, end); s < end; s = t.full.next(s+1, end) {
		ch := t.slots[s]
		if ch == nil {
			continue
		}
		lo, _ := ch.region(n)
		if w, ok := ch.seek(n, lo); ok {
			h.point(ch, w)
			return true
		}
		t.full.set(s)
		if rows := ch.rows(); ch.full.next(0, rows) < rows {
			t.full.clear(s)
		}
	}
	return false
}

// row is how many words make up a row, which has marks in common: they fill a pair of lines of the cache, which processors fetch together.
const row = 16

// rows returns how many rows there are.
func (ch *chunk) rows() uint64 { return (uint64(len(ch.words)) + row - 1) / row }

// region is the part of a chunk, from one word to below another, where a processor looks first, so that what it takes and gives back is apart from what
// others do.
func (ch *chunk) region(n uint32) (lo, hi uint64) {
	lo = uint64(n%ch.parts) * ch.part
	return lo, min(lo+ch.part, uint64(len(ch.words)))
}

// divide makes the regions: one for each processor, of whole rows if there are so many.
func (ch *chunk) divide(processors int) {
	words := uint64(len(ch.words))
	ch.part = max((words+uint64(processors)-1)/uint64(processors), 1)
	if ch.part > row/2 {
		ch.part = (ch.part + row - 1) / row * row
	}
	ch.parts = max(uint32((words+ch.part-1)/ch.part), 1)
}

// line is how many words there are on a line of the cache.
const line = 8

// onward returns the word to go on at when w is full: the one a line further on in the region of processor n. When others free blocks soon after they
// were taken, they are then at work on lines behind, not on this one.
func (ch *chunk) onward(n uint32, w uint64) uint64 {
	lo, hi := ch.region(n)
	if next := w + line; w >= lo && next < hi {
		return next
	}
	return lo + (w+1)%line
}

// near finds a word with a free block: w, or the one on the next line, or else one in the row of w.
func (ch *chunk) near(n uint32, w uint64) (uint64, bool) {
	end := uint64(len(ch.words))
	if w >= end {
		return 0, false
	}
	if ch.words[w].Load()&blocks != blocks {
		return w, true
	}
	if next := ch.onward(n, w); next < end && ch.words[next].Load()&blocks != blocks {
		return next, true
	}
	at := w - w%row
	found, ok := ch.opening(w, min(at+row, end))
	if !ok {
		found, ok = ch.opening(at, w)
	}
	return found, ok
}

// seek finds a word with a free block for processor n: in its region, from the row of w on, and then in others.
func (ch *chunk) seek(n uint32, w uint64) (found uint64, ok bool) {
	lo, hi := ch.region(n)
	at := w - w%row
	if at < lo || at >= hi {
		at = lo
	}
	for _, r := range [...][2]uint64{{at, hi}, {lo, at}, {0, uint64(len(ch.words))}} { // the last one sees rows whole, and so marks them
		if found, ok = ch.seekIn(r[0], r[1]); ok {
			break
		}
	}
	return found, ok
}

// seekIn looks at words from w on, and below end, in rows that have no mark.
func (ch *chunk) seekIn(w, end uint64) (found uint64, ok bool) {
	for w < end {
		r := w / row
		if ch.full.next(r, r+1) > r {
			w = ch.full.next(r+1, ch.rows()) * row
			continue
		}
		stop := min((r+1)*row, uint64(len(ch.words)))
		if found, ok = ch.opening(w, min(stop, end)); ok {
			return found, true
		}
		if w%row == 0 && end >= stop {
			ch.full.set(r)
			if found, ok = ch.opening(w, stop); ok {
				ch.full.clear(r)
				return found, true
			}
		}
		w = stop
	}
	return 0, false
}

// opening returns the first of some words that has a free block.
func (ch *chunk) opening(w, end uint64) (uint64, bool) {
	for words := ch.words; w < end; w++ {
		if words[w].Load()&blocks != blocks {
			return w, true
		}
	}
	return 0, false
}

// scan is seek without regard to marks: it looks at every word.
func (c *Core) scan(h *hint) bool {
	for {
		ticket, isClosed := c.gate.announce()
		if isClosed {
			return false
		}
		t := c.table.Load()
		if t.point(h) {
			return true
		}
		if c.gate.close(ticket) {
			if feature.Counters {
				if ticket&held == 0 {
					c.raisePeak(t.mostLive())
				}
			}
			return false
		}
	}
}

// point has a hint point at the first word with a free block, and puts its marks right.
func (t *table) point(h *hint) bool {
	for _, ch := range t.order {
		if w, ok := ch.opening(0, uint64(len(ch.words))); ok {
			ch.full.clear(w / row)
			t.full.clear(uint64(ch.slot))
			h.point(ch, w)
			return true
		}
	}
	return false
}

// mostLive returns how many blocks are live when all are taken.
//
//poolgen:if feature.Counters
func (t *table) mostLive() uint64 {
	if feature.Streams || feature.Magazines {
		s := t.counts()
		return s.live()
	}
	return t.count
}
