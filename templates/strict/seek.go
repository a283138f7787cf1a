package strict

import "github.com/poolgen/poolgen/templates/feature"

// seek has the hint of processor n point at a word with a free block, and reports false if there is none anywhere.
func (c *Core) seek(h *hint, n uint32) bool {
	t := c.table.Load()
	if t == nil || c.gate.isShut() {
		return false
	}
	first := uint64(0) // in pools that give chunks back, so that the others get to drain
	if ch := h.chunk.Load(); ch != nil {
		if w, ok := ch.seek(h.word.Load()); ok {
			h.point(ch, w)
			return true
		}
		if !feature.Trims {
			first = uint64(ch.slot)
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
		if w, ok := ch.seek(ch.start(n)); ok {
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

// start is the word that a processor begins with in a chunk. Any number of processors are spread evenly: each starts at its number times the golden
// section.
func (ch *chunk) start(n uint32) uint64 {
	at := uint64(n*0x9E3779B9) * uint64(len(ch.words)) >> 32
	if len(ch.words) >= 4*row {
		at -= at % row
	}
	return at
}

// seek finds a word with a free block: in the row of w, from there on and then before it, and in other rows.
func (ch *chunk) seek(w uint64) (found uint64, ok bool) {
	if w >= uint64(len(ch.words)) {
		return 0, false
	}
	r, rows := w/row, ch.rows()
	if found, ok = ch.seekIn(w, min((r+1)*row, uint64(len(ch.words)))); ok {
		return found, true
	}
	if found, ok = ch.seekRows(r, rows); !ok {
		found, ok = ch.seekRows(0, r)
	}
	return found, ok
}

// seekRows looks into rows from r on, and below end, that have no mark.
func (ch *chunk) seekRows(r, end uint64) (w uint64, ok bool) {
	for r = ch.full.next(r, end); r < end; r = ch.full.next(r+1, end) {
		if w, ok = ch.seekRow(r); ok {
			return w, true
		}
		ch.full.set(r)
		if w, ok = ch.seekRow(r); ok {
			ch.full.clear(r)
			return w, true
		}
	}
	return 0, false
}

func (ch *chunk) seekRow(r uint64) (w uint64, ok bool) {
	return ch.seekIn(r*row, min((r+1)*row, uint64(len(ch.words))))
}

// seekIn looks at words from w on, and below end.
func (ch *chunk) seekIn(w, end uint64) (found uint64, ok bool) {
	for words := ch.words; w < end; w++ {
		if words[w].Load()&blocks != blocks {
			return w, true
		}
	}
	return 0, false
}

// opened clears the marks of a word that was full, and opens the gate.
func (c *Core) opened(ch *chunk, w uint64) {
	ch.full.clear(w / row)
	c.table.Load().full.clear(uint64(ch.slot))
	c.gate.open()
}

// scan is seek without regard to marks: it looks at every word.
func (c *Core) scan(h *hint) bool {
	for {
		ticket, isShut := c.gate.announce()
		if isShut {
			return false
		}
		t := c.table.Load()
		if t.point(h) {
			return true
		}
		if c.gate.close(ticket) {
			if feature.Counters {
				if ticket&held == 0 {
					c.note(t.count)
				}
			}
			return false
		}
	}
}

// point has a hint point at the first word with a free block, and puts its marks right.
func (t *table) point(h *hint) bool {
	for _, ch := range t.order {
		if w, ok := ch.seekIn(0, uint64(len(ch.words))); ok {
			ch.full.clear(w / row)
			t.full.clear(uint64(ch.slot))
			h.point(ch, w)
			return true
		}
	}
	return false
}
