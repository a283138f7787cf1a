package strict

import (
	rt "runtime"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/strict"
	"github.com/poolgen/poolgen/templates/feature"
)

// seek makes the hint of processor or stream n point at a word with a free block. It reports false if no chunk has one.
func (c *Core) seek(h *hint, n uint32) bool {
	if c.open.Load() == nil || c.gate.IsClosed() {
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
		if w, ok := ch.Seek(n, h.word.Load(), flag); ok {
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
	w, ok := ch.Seek(n, ch.Start(n), flag)
	if !ok {
		return false
	}
	h.point(ch, w)
	if 2*ch.Full.Count() > ch.Count() {
		c.gate.SetShort()
	}
	return true
}

// scan is seek that fails only if all rows of all chunks had a flag at one time. It looks at those without one.
func (c *Core) scan(h *hint, n uint32) bool {
	c.flagging.Lock()
	defer c.flagging.Unlock()
	for {
		state, isClosed := c.gate.Announce()
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
		if c.gate.Close(state) {
			if feature.Counters {
				if !strict.Held(state) {
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
	c.gate.Clear(func() {
		ch.Full.Clear(r)
		c.open.Load().Set(ch.slot)
		if c.gate.NeedsOpen() {
			c.gate.Open()
		}
	})
}

// offer makes the hint of the caller's processor point at a word that has a free block again, if the word of the hint is full. If each block that is
// allocated has been freed just before, none is searched for.
func (c *Core) offer(ch *chunk, w uint64) {
	h := &c.hints[poolimpl.Proc()%maxHints]
	at, old := h.chunk.Load(), h.word.Load()
	if at != nil && old < uint64(len(at.Words)) && at.Words[old].Load()&blocks != blocks {
		return
	}
	if feature.Trims {
		if at != nil && at.slot < ch.slot {
			return // chunks of high slots become empty
		}
	}
	h.point(ch, w)
}
