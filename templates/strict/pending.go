package strict

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

const _ = feature.Streams || feature.Shareable // only directives use it

// bitOf is the place of a block's bit.
type bitOf struct {
	ch *chunk
	w  uint64 // number of the word
	in uint64 // the bit in the word
}

// locate returns the bit of the block that starts at addr. The chunk is nil if no block does.
//
//poolgen:if feature.Streams || feature.Shareable
func (c *Core) locate(addr uint64) bitOf {
	ch := c.chunks.Find(addr)
	if ch == nil {
		return bitOf{}
	}
	i := number(addr - ch.base)
	if i >= ch.count {
		return bitOf{}
	}
	return bitOf{ch, i / perWord, 1 << (i % perWord)}
}

// Defer makes a live block a pending one, which is not live but takes up its place. It ignores the length: all blocks have the same.
//
//poolgen:if feature.Streams
func (c *Core) Defer(addr, _ uint64) poolimpl.Verdict {
	b := c.locate(addr)
	if b.ch == nil {
		return poolimpl.Foreign
	}
	word := &b.ch.Words[b.w]
	for {
		old := word.Load()
		if !isLive(old, b.in) {
			return poolimpl.Double
		}
		if feature.Magazines {
			if b.ch.anyInMagazine(b.w, b.in) {
				return poolimpl.Double
			}
		}
		if word.CompareAndSwap(old, old|b.in<<perWord) {
			return poolimpl.Freed
		}
	}
}

// Reuse makes a pending block live again, and counts an allocation.
//
//poolgen:if feature.Streams
func (c *Core) Reuse(addr, _ uint64) (slot uint32, off uint64) {
	b := c.locate(addr)
	word := &b.ch.Words[b.w]
	for {
		old := word.Load()
		next := old &^ (b.in << perWord)
		if counted {
			if old&countMask == countMask {
				b.ch.moveOverflow(word)
				continue
			}
			next += once
		}
		if word.CompareAndSwap(old, next) {
			return b.ch.slot, addr - b.ch.base
		}
	}
}

// Reclaim frees a pending block.
//
//poolgen:if feature.Streams
func (c *Core) Reclaim(addr, _ uint64) (slot uint32, v poolimpl.Verdict) {
	b := c.locate(addr)
	return b.ch.slot, c.reclaim(b.ch, b.w, b.in)
}

// ReclaimRun frees the first of some pending blocks, and those behind it up to the first in another word. It returns how many.
//
//poolgen:if feature.Streams
func (c *Core) ReclaimRun(addrs []uint64, _ uint64) (n int, slot uint32, v poolimpl.Verdict) {
	b := c.locate(addrs[0])
	some := b.in
	for n = 1; n < len(addrs); n++ {
		i := number(addrs[n] - b.ch.base)
		if i >= b.ch.count || i/perWord != b.w { // the next chunk may touch this one
			break
		}
		some |= 1 << (i % perWord)
	}
	return n, b.ch.slot, c.reclaim(b.ch, b.w, some)
}

// reclaim frees some pending blocks of a word.
//
//poolgen:if feature.Streams
func (c *Core) reclaim(ch *chunk, w, some uint64) poolimpl.Verdict {
	word := &ch.Words[w]
	for {
		old := word.Load()
		now := old &^ (some | some<<perWord)
		if word.CompareAndSwap(old, now) {
			return c.afterFree(ch, w, old, now)
		}
	}
}

// Lookup returns the verdict that a free of the block would get, and changes nothing.
//
//poolgen:if feature.Shareable
func (c *Core) Lookup(addr, _ uint64) poolimpl.Verdict {
	b := c.locate(addr)
	switch {
	case b.ch == nil:
		return poolimpl.Foreign
	case !isLive(b.ch.Words[b.w].Load(), b.in):
		return poolimpl.Double
	}
	if feature.Magazines {
		if b.ch.anyInMagazine(b.w, b.in) {
			return poolimpl.Double
		}
	}
	return poolimpl.Freed
}
