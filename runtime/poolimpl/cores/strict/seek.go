package strict

import (
	rt "runtime"
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// seek makes the hint of processor or stream n point at a word with a free block. It reports false if no chunk has one.
func (c *Core) seek(h *Hint, n uint32) bool {
	if c.open.Load() == nil || c.Gate.IsClosed() {
		return false
	}
	return c.seekUnsure(h, n) || c.scan(h, n)
}

// seekUnsure is seek that may fail although a block is free. There is a chunk, or was one.
func (c *Core) seekUnsure(h *Hint, n uint32) (found bool) {
	flag := c.flagging.TryLock() // one goroutine at a time sets flags, the others search without
	found = c.seekOnward(h, n, flag)
	if flag {
		c.flagging.Unlock()
	}
	return found
}

// seekOnward is seek with the chunk of the hint first. If flag is set, the caller holds c.flagging, and what is full gets a flag.
func (c *Core) seekOnward(h *Hint, n uint32, flag bool) bool {
	slots := c.open.Load().Len()
	first := uint32(0) // With [Params.Trims], chunks of low slots fill up first, and the others become empty.
	if ch := h.Chunk.Load(); ch != nil {
		if w, ok := ch.Seek(n, h.Word.Load(), h.away.Load(), flag); ok {
			h.pointFound(ch, w, n)
			return true
		}
		if !c.params.Trims {
			first = min(ch.Slot, slots) // the chunk may be newer than the bits
		}
	}
	return c.seekSlots(h, n, first, slots, flag) || c.seekSlots(h, n, 0, first, flag)
}

// seekSlots makes a hint point at a word with a free block in the open chunks of slots from s on and below end.
func (c *Core) seekSlots(h *Hint, n, s, end uint32, flag bool) bool {
	open := c.open.Load()
	for s, ok := open.Next(s, end); ok; s, ok = open.Next(s+1, end) {
		ch := c.Chunks.At(s)
		if ch != nil && c.seekChunk(h, n, ch, flag) {
			return true
		}
		if flag {
			c.closeSlot(open, s, ch)
		}
	}
	return false
}

// seekChunk makes a hint point at a word with a free block in a chunk. It notes that free blocks are short if most rows of the chunk are full, or few blocks are
// free in the cache line of the word.
func (c *Core) seekChunk(h *Hint, n uint32, ch *Chunk, flag bool) bool {
	start := ch.Start(n)
	w, ok := ch.Seek(n, start, start, flag)
	if !ok {
		return false
	}
	h.pointFound(ch, w, n)
	if 2*ch.Full.Count() > ch.Count() || ch.isRare(w) {
		c.Gate.SetShort()
	}
	return true
}

// scan is seek that fails only if all rows of all chunks had a flag at one time. It looks at those without one.
func (c *Core) scan(h *Hint, n uint32) bool {
	c.flagging.Lock()
	defer c.flagging.Unlock()
	for {
		state, isClosed := c.Gate.Announce()
		if isClosed {
			return false
		}
		c.scanned = c.count.Load() // a chunk that comes later has a free block, and withdraws the announcement
		c.scannedIn = c.Turn.Load()
		if c.seekSlots(h, n, 0, c.open.Load().Len(), true) {
			return true
		}
		if c.Gate.Close(state) {
			if c.params.Counters && !Held(state) {
				c.notePeak()
			}
			return false
		}
		rt.Gosched()
	}
}

// clearFlag clears the flag of a row of which a block was freed, sets the bit of its chunk, and withdraws all announcements.
func (c *Core) clearFlag(ch *Chunk, r uint64) {
	c.Gate.Clear(func() {
		ch.Full.Clear(r)
		c.open.Load().Set(ch.Slot)
		if c.Gate.NeedsOpen() {
			c.Gate.Open()
		}
	})
}

// offer makes the hint of the caller's processor point at a word that has a free block again, if the word of the hint is full. If each block that is
// allocated has been freed just before, none is searched for.
func (c *Core) offer(ch *Chunk, w uint64) {
	h := &c.Processors[poolimpl.Proc()%MaxProcessors].Hint
	at, old := h.Chunk.Load(), h.Word.Load()
	if at != nil && old < uint64(len(at.Words)) && at.Words[old].Load()&c.blocks != c.blocks {
		return
	}
	if c.params.Trims && at != nil && at.Slot < ch.Slot {
		return // chunks of high slots become empty
	}
	h.point(ch, w)
}

// noteLine looks at the cache line of a word, after a free, as blocks are short. After some lines in a row with many free blocks, they are so no longer.
func (c *Core) noteLine(ch *Chunk, w uint64) {
	lines := &c.Processors[poolimpl.Proc()%MaxProcessors].plenty
	switch n := atomic.LoadUint32(lines); {
	case ch.isRare(w):
		poolimpl.StoreRelaxed(lines, 0)
	case n < someLines:
		poolimpl.StoreRelaxed(lines, n+1)
	default:
		poolimpl.StoreRelaxed(lines, 0)
		c.Gate.SetPlenty()
	}
}

// someLines is how many cache lines with many free blocks a processor looks at, and at no other, before blocks are short no longer.
const someLines = 16
