// Package strict hands out blocks of one size to any number of goroutines at once, without a lock, and fails only when no block is free
// anywhere.
//
// Each chunk has a bitmap with one bit per block, in words that change by compare-and-swap. A block's bit says whether it is live, so it
// is also the exact and only judge of a free, even of two at the same time. Any goroutine may take any free block. But each processor
// has a place of its own to start at, a hint, far from those of others: as long as it finds blocks there, it writes to no line of the
// cache that another one does.
//
// A processor whose word is full looks for another one with the help of marks: one bit per row of words that was seen full, and one
// per chunk that was. Marks may lag behind; before the suballocator fails, it looks at the words themselves (see gate).
//
// In pools with magazines, a processor takes several blocks of a word at once and keeps them for a while (see magazine, claim and recall).
package strict

import (
	"sync"
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// Core is the suballocator. It is safe for concurrent use, except that calls that bring or take chunks, and Usage, must not overlap each
// other. Its zero value has no chunks and is ready.
type Core struct {
	table   atomic.Pointer[table]
	retired poolimpl.Usage // what chunks that are gone have counted
	//poolgen:if feature.Magazines
	turn  atomic.Uint32 // see alone
	_     [128]byte     // what follows is written to by those who allocate
	hints [maxHints]hint
	//poolgen:if feature.Magazines
	magazines [maxHints]magazine
	gate      gate
	//poolgen:if feature.Counters
	peak atomic.Uint64 // largest number of live blocks that was seen
	//poolgen:if feature.Counters
	undone atomic.Uint64 // blocks that were handed out, but do not count
	//poolgen:if feature.Magazines
	recalls sync.Mutex // for changes of the turn
}

// hint is where a processor looks for a block first. It fills lines of its own.
type hint struct {
	chunk atomic.Pointer[chunk] // nil: nowhere
	word  atomic.Uint64
	_     [112]byte
}

// point makes a word the one to start at. A goroutine that reads between the two steps gets a word that is as good as any, or none.
func (h *hint) point(ch *chunk, w uint64) {
	if h.chunk.Load() != ch {
		h.chunk.Store(ch)
	}
	if h.word.Load() != w {
		h.word.Store(w)
	}
}

// AllocFast hands out a block of the row that the caller's processor used last. It fails if there is none, or others are at work on it.
func (c *Core) AllocFast() (slot uint32, off uint64, ok bool) {
	if feature.Magazines {
		p := poolimpl.Pin()
		if poolimpl.Pins && p < maxHints && c.turn.Load()&exclusiveTurn == 0 {
			m := &c.magazines[p]
			if some := atomic.LoadUint32(&m.some); some != 0 {
				slot, off = m.pop(some)
				poolimpl.Unpin()
				return slot, off, true
			}
		}
		poolimpl.Unpin()
		return 0, 0, false
	} else {
		h := &c.hints[poolimpl.Pin()%maxHints]
		poolimpl.Unpin()
		ch, w := h.chunk.Load(), h.word.Load()
		if ch == nil || w >= uint64(len(ch.words)) {
			return 0, 0, false
		}
		word := &ch.words[w]
		old := word.Load()
		bit := lowest(old)
		next := old + bit
		if feature.Counters {
			next += once
		}
		if bit&blocks == 0 || old >= countMask {
			return 0, 0, false
		}
		if !word.CompareAndSwap(old, next) {
			h.word.Store(w + row) // apart from other goroutines there
			return 0, 0, false
		}
		if feature.Trims {
			if ch.wordEmpty(w, old) {
				ch.idle.clear(w / row)
			}
		}
		return ch.slot, (w*perWord + index(bit)) * blockSize, true
	}
}

// Alloc hands out a free block of any chunk. All requests are for one item, so there is nothing to look at in them: [Core.Need] judged the
// first.
func (c *Core) Alloc(_, _ uint64) (slot uint32, off uint64, ok bool) {
	if feature.Magazines {
		return c.allocMagazine()
	} else {
		p := poolimpl.Proc() % maxHints
		h := &c.hints[p]
		for {
			if ch := h.chunk.Load(); ch != nil {
				if w, some := ch.allocNear(h, p, 1); some != 0 {
					return ch.slot, (w*perWord + index(some)) * blockSize, true
				}
			}
			if !c.seek(h, p) {
				return 0, 0, false
			}
		}
	}
}

// AllocAny is Alloc, which finds whatever is free.
func (c *Core) AllocAny(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	if feature.Magazines {
		return c.allocAnyRecalled()
	} else {
		return c.Alloc(bytes, align)
	}
}

// Free takes back the block that starts at addr. All blocks have one length, so it is not looked at.
func (c *Core) Free(addr, _ uint64) (slot uint32, v poolimpl.Verdict) {
	t := c.table.Load()
	if t == nil {
		return 0, poolimpl.Foreign
	}
	ch := t.only
	if ch == nil {
		ch = t.search(addr)
	}
	i := number(addr - ch.base)
	if i >= ch.count {
		return 0, poolimpl.Foreign
	}
	w, bit := i/perWord, uint64(1)<<(i%perWord)
	word := &ch.words[w]
	for {
		old := word.Load()
		if !isLive(old, bit) {
			return ch.slot, poolimpl.Double
		}
		if feature.Magazines {
			if ch.anyInMagazine(w, bit) {
				return ch.slot, poolimpl.Double
			}
		}
		if word.CompareAndSwap(old, old-bit) {
			if !feature.Trims && old&blocks != blocks && !c.gate.needsOpen() { // nothing has to follow
				return ch.slot, poolimpl.Freed
			}
			return ch.slot, c.afterFree(ch, w, old, old-bit)
		}
	}
}

// afterFree does what has to follow when blocks of a word were freed.
func (c *Core) afterFree(ch *chunk, w, old, now uint64) poolimpl.Verdict {
	if old&blocks == blocks {
		ch.full.clear(w / row)
		c.table.Load().full.clear(uint64(ch.slot))
	}
	if c.gate.needsOpen() {
		c.gate.open()
	}
	if feature.Trims {
		if ch.wordEmpty(w, now) && ch.isEmpty() {
			return poolimpl.Emptied
		}
	}
	return poolimpl.Freed
}

// Undo is Free for a block that no caller has received: it does not count as handed out.
func (c *Core) Undo(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	slot, v = c.Free(addr, bytes)
	if feature.Counters {
		if v == poolimpl.Freed || v == poolimpl.Emptied {
			c.undone.Add(1)
		}
	}
	return slot, v
}
