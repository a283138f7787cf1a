package strict

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

const _ = feature.Streams || feature.Shareable // the conditions of what stands here

// bitOf is where a block has its bit.
type bitOf struct {
	ch *chunk
	w  uint64
	in uint64
}

// locate finds the bit of the block that starts at addr; there is no chunk if no block does.
//
//poolgen:if feature.Streams || feature.Shareable
func (c *Core) locate(addr uint64) bitOf {
	t := c.table.Load()
	if t == nil {
		return bitOf{}
	}
	ch := t.only
	if ch == nil {
		ch = t.search(addr)
	}
	i := number(addr - ch.base)
	if i >= ch.count {
		return bitOf{}
	}
	return bitOf{ch, i / perWord, 1 << (i % perWord)}
}

// Defer makes a live block a pending one. It is not live, but takes up its place. All blocks have one length, so it is not looked at.
//
//poolgen:if feature.Streams
func (c *Core) Defer(addr, _ uint64) poolimpl.Verdict {
	b := c.locate(addr)
	if b.ch == nil {
		return poolimpl.Foreign
	}
	word := &b.ch.words[b.w]
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

// Reuse makes a pending block live again: it was handed out once more.
//
//poolgen:if feature.Streams
func (c *Core) Reuse(addr, _ uint64) (slot uint32, off uint64) {
	b := c.locate(addr)
	word := &b.ch.words[b.w]
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
	word := &b.ch.words[b.w]
	for {
		old := word.Load()
		next := old &^ (b.in | b.in<<perWord)
		if word.CompareAndSwap(old, next) {
			return b.ch.slot, c.afterFree(b.ch, b.w, old, next)
		}
	}
}

// Lookup gives the verdict of a free of the block, and leaves the block as it is.
//
//poolgen:if feature.Shareable
func (c *Core) Lookup(addr, _ uint64) poolimpl.Verdict {
	b := c.locate(addr)
	switch {
	case b.ch == nil:
		return poolimpl.Foreign
	case !isLive(b.ch.words[b.w].Load(), b.in):
		return poolimpl.Double
	}
	if feature.Magazines {
		if b.ch.anyInMagazine(b.w, b.in) {
			return poolimpl.Double
		}
	}
	return poolimpl.Freed
}
