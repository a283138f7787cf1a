package strict

import (
	rt "runtime"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// seek makes the hint of processor or stream n point at a word with a free block. It reports false if no chunk has one.
func (c *Core) seek(h *hint, n uint32) bool {
	if c.open.Load() == nil || c.gate.isClosed() {
		return false
	}
	flag := c.flagging.TryLock() // one goroutine at a time sets flags, the others search without
	found := c.seekOnward(h, n, flag)
	if flag {
		c.flagging.Unlock()
	}
	return found || c.scan(h, n)
}

// seekOnward is seek with the chunk of the hint first. If flag is set, the caller holds c.flagging, and what is full gets a flag.
func (c *Core) seekOnward(h *hint, n uint32, flag bool) bool {
	slots := c.open.Load().Len()
	first := uint32(0) // If [feature.Trims], chunks of low slots fill up first, and the others become empty.
	if ch := h.chunk.Load(); ch != nil {
		if w, ok := ch.seek(n, h.word.Load(), flag); ok {
			h.point(ch, w)
			return true
		}
		if !feature.Trims {
			first = min(ch.slot, slots) // the chunk may be newer than the bits
		}
	}
	return c.seekSlots(h, n, first, slots, flag) || c.seekSlots(h, n, 0, first, flag)
}

// seekSlots makes a hint point at a word with a free block in the open chunks of slots from s on and below end.
func (c *Core) seekSlots(h *hint, n, s, end uint32, flag bool) bool {
	open := c.open.Load()
	for s, ok := open.Next(s, end); ok; s, ok = open.Next(s+1, end) {
		ch := c.chunks.At(s)
		if ch != nil && c.seekChunk(h, n, ch, flag) {
			return true
		}
		if flag {
			c.closeSlot(open, s, ch)
		}
	}
	return false
}

// seekChunk makes a hint point at a word with a free block in a chunk. It notes that free blocks are short if most rows of the chunk are full.
func (c *Core) seekChunk(h *hint, n uint32, ch *chunk, flag bool) bool {
	w, ok := ch.seek(n, ch.start(n), flag)
	if !ok {
		return false
	}
	h.point(ch, w)
	if 2*ch.full.count() > ch.rows() {
		c.gate.setShort()
	}
	return true
}

// row is the number of words in a row, which has one flag. They fill two neighbouring cache lines, which processors fetch together.
const row = 16

// rows returns the number of rows of a chunk.
func (ch *chunk) rows() uint64 { return (uint64(len(ch.words)) + row - 1) / row }

// region returns the words of a chunk, from lo on and below hi, where processor or stream n looks first. Processors with regions of their own write
// to different cache lines.
func (ch *chunk) region(n uint32) (lo, hi uint64) {
	lo = uint64(n%ch.parts) * ch.part
	return lo, min(lo+ch.part, uint64(len(ch.words)))
}

// start returns the word where processor or stream n looks first: those that have the same region begin at different rows.
func (ch *chunk) start(n uint32) uint64 {
	lo, _ := ch.region(n)
	return lo + uint64(n/ch.parts)%max(ch.part/row, 1)*row
}

// divide divides the chunk into regions, one for each processor. They consist of whole rows, unless the chunk is too small.
func (ch *chunk) divide(processors int) {
	words := uint64(len(ch.words))
	ch.part = max((words+uint64(processors)-1)/uint64(processors), 1)
	if ch.part > row/2 {
		ch.part = (ch.part + row - 1) / row * row
	}
	ch.parts = max(uint32((words+ch.part-1)/ch.part), 1)
}

// line is the number of words in a cache line.
const line = 8

// onward returns the word to look at when w is full: the one a cache line further in the region of processor n. Other goroutines that free blocks
// soon after their allocation then write to the lines behind, not to this one.
func (ch *chunk) onward(n uint32, w uint64) uint64 {
	lo, hi := ch.region(n)
	if next := w + line; w >= lo && next < hi {
		return next
	}
	return lo + (w+1)%line
}

// near returns a word with a free block: w, or the one that onward returns, or another one in the row of w.
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

// seek returns a word with a free block for processor n. It looks at the region of the processor first, from the row of w on, and then at all. If flag is
// set, the caller holds [Core.flagging], and rows without a free block get a flag. All rows have one then if seek finds none.
func (ch *chunk) seek(n uint32, w uint64, flag bool) (found uint64, ok bool) {
	lo, hi := ch.region(n)
	at := w - w%row
	if at < lo || at >= hi {
		at = lo
	}
	for _, r := range [...][2]uint64{{at, hi}, {lo, at}, {0, uint64(len(ch.words))}} { // the last one looks at whole rows, so it can set their flags
		if found, ok = ch.seekIn(r[0], r[1], flag); ok {
			break
		}
	}
	return found, ok
}

// seekIn returns a word with a free block, from w on and below end, in a row without a flag.
func (ch *chunk) seekIn(w, end uint64, flag bool) (found uint64, ok bool) {
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
		if flag && w%row == 0 && end >= stop {
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

// opening returns the first word with a free block, from w on and below end.
func (ch *chunk) opening(w, end uint64) (uint64, bool) {
	for words := ch.words; w < end; w++ {
		if words[w].Load()&blocks != blocks {
			return w, true
		}
	}
	return 0, false
}

// scan is seek that fails only if all rows of all chunks had a flag at one time. It looks at those without one.
func (c *Core) scan(h *hint, n uint32) bool {
	c.flagging.Lock()
	defer c.flagging.Unlock()
	for {
		state, isClosed := c.gate.announce()
		if isClosed {
			return false
		}
		if feature.Counters {
			c.scanned = c.count.Load() // a chunk that comes later has a free block, and withdraws the announcement
			if feature.Magazines {
				c.scannedIn = c.turn.Load()
			}
		}
		if c.seekSlots(h, n, 0, c.open.Load().Len(), true) {
			return true
		}
		if c.gate.close(state) {
			if feature.Counters {
				if state&held == 0 {
					c.notePeak()
				}
			}
			return false
		}
		rt.Gosched()
	}
}

// clearFlag clears the flag of a row of which a block was freed, sets the bit of its chunk, and withdraws all announcements.
func (c *Core) clearFlag(ch *chunk, r uint64) {
	c.gate.clearing.Add(1)
	ch.full.clear(r)
	c.open.Load().Set(ch.slot)
	if c.gate.needsOpen() {
		c.gate.open()
	}
	c.gate.clearing.Add(-1)
}

// offer makes the hint of the caller's processor point at a word that has a free block again, if the word of the hint is full. If each block that is
// allocated has been freed just before, none is searched for.
func (c *Core) offer(ch *chunk, w uint64) {
	h := &c.hints[poolimpl.Proc()%maxHints]
	at, old := h.chunk.Load(), h.word.Load()
	if at != nil && old < uint64(len(at.words)) && at.words[old].Load()&blocks != blocks {
		return
	}
	if feature.Trims {
		if at != nil && at.slot < ch.slot {
			return // chunks of high slots become empty
		}
	}
	h.point(ch, w)
}
