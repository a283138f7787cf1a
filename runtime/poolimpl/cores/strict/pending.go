package strict

import "github.com/poolgen/poolgen/runtime/poolimpl"

// place is where a block has its bit.
type place struct {
	ch *Chunk
	w  uint64 // number of the word
	in uint64 // the bit in the word
}

// locate returns the bit of the block that starts at addr. The chunk is nil if no block does.
func (c *Core) locate(addr uint64) place {
	ch := c.Chunks.Find(addr)
	if ch == nil {
		return place{}
	}
	i := c.numbers.Of(addr - ch.Base)
	if i >= ch.Blocks {
		return place{}
	}
	w, in := c.bitOf(i)
	return place{ch, w, in}
}

// Defer makes a live block a pending one, which is not live but takes up its place. It ignores the length: all blocks have the same.
func (c *Core) Defer(addr, _ uint64) poolimpl.Verdict {
	b := c.locate(addr)
	if b.ch == nil {
		return poolimpl.Foreign
	}
	word := &b.ch.Words[b.w]
	for {
		old := word.Load()
		if !c.isLive(b.ch, b.w, old, b.in) {
			return poolimpl.Double
		}
		if word.CompareAndSwap(old, old|b.in<<(c.pending&63)) {
			return poolimpl.Freed
		}
	}
}

// Reuse makes a pending block live again, and counts an allocation.
func (c *Core) Reuse(addr, _ uint64) (slot uint32, off uint64) {
	b := c.locate(addr)
	word := &b.ch.Words[b.w]
	for {
		old := word.Load()
		if old&CountMask == CountMask {
			c.moveOverflow(b.ch, word)
			continue
		}
		next := old&^(b.in<<(c.pending&63)) + c.once
		if word.CompareAndSwap(old, next) {
			return b.ch.Slot, addr - b.ch.Base
		}
	}
}

// Reclaim frees a pending block.
func (c *Core) Reclaim(addr, _ uint64) (slot uint32, v poolimpl.Verdict) {
	b := c.locate(addr)
	return b.ch.Slot, c.reclaim(b.ch, b.w, b.in)
}

// ReclaimRun frees the first of some pending blocks, and those behind it up to the first in another word. It returns how many.
func (c *Core) ReclaimRun(addrs []uint64, _ uint64) (n int, slot uint32, v poolimpl.Verdict) {
	b := c.locate(addrs[0])
	some := b.in
	for n = 1; n < len(addrs); n++ {
		i := c.numbers.Of(addrs[n] - b.ch.Base)
		w, in := c.bitOf(i)
		if i >= b.ch.Blocks || w != b.w { // the next chunk may touch this one
			break
		}
		some |= in
	}
	return n, b.ch.Slot, c.reclaim(b.ch, b.w, some)
}

// reclaim frees some pending blocks of a word.
func (c *Core) reclaim(ch *Chunk, w, some uint64) poolimpl.Verdict {
	word := &ch.Words[w]
	for {
		old := word.Load()
		now := old &^ (some | some<<(c.pending&63))
		if word.CompareAndSwap(old, now) {
			return c.AfterFree(ch, w, now)
		}
	}
}

// Lookup returns the verdict that a free of the block would get, and changes nothing.
func (c *Core) Lookup(addr, _ uint64) poolimpl.Verdict {
	b := c.locate(addr)
	switch {
	case b.ch == nil:
		return poolimpl.Foreign
	case !c.isLive(b.ch, b.w, b.ch.Words[b.w].Load(), b.in):
		return poolimpl.Double
	}
	return poolimpl.Freed
}
