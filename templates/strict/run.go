package strict

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// Run is some blocks of one word: they are handed out, or taken back, in one step.
type Run struct {
	ch   *chunk
	word uint64 // its number
	some uint64 // the bits of the blocks
}

// AllocRun hands out up to n blocks that lie together; none if no block is free anywhere.
func (c *Core) AllocRun(n uint64) (slot uint32, r Run) {
	p := poolimpl.Proc() % maxHints
	h := &c.hints[p]
	for {
		if ch := h.chunk.Load(); ch != nil {
			if w, some := ch.allocNear(h, p, n); some != 0 {
				return ch.slot, Run{ch, w, some}
			}
		}
		if !c.seek(h, p) {
			return 0, Run{}
		}
	}
}

// Next returns one block of a run, its place in the chunk, and the rest of the run. It fails when there is none left.
func (r Run) Next() (rest Run, off uint64, ok bool) {
	if r.some == 0 {
		return r, 0, false
	}
	off = (r.word*perWord + index(r.some)) * blockSize
	r.some &= r.some - 1
	return r, off, true
}

// Gather begins a run of blocks to be freed with the word of the block that starts at addr. A run that is of no chunk takes none.
func (c *Core) Gather(addr uint64) Run {
	t := c.table.Load()
	if t == nil {
		return Run{}
	}
	ch := t.only
	if ch == nil {
		ch = t.search(addr)
	}
	return Run{ch: ch, word: number(addr-ch.base) / perWord}
}

// Join adds the block that starts at addr to a run, if it lies in its word and is not there yet.
func (r Run) Join(addr uint64) (longer Run, ok bool) {
	if r.ch == nil {
		return r, false
	}
	i := number(addr - r.ch.base)
	bit := uint64(1) << (i % perWord)
	if i >= r.ch.count || i/perWord != r.word || r.some&bit != 0 {
		return r, false
	}
	r.some |= bit
	return r, true
}

// FreeRun takes all blocks of a run back, or, if one of them is not live, none.
func (c *Core) FreeRun(r Run) (slot uint32, v poolimpl.Verdict) {
	if r.some == 0 {
		return 0, poolimpl.Foreign
	}
	word := &r.ch.words[r.word]
	for {
		old := word.Load()
		if !isLive(old, r.some) {
			return r.ch.slot, poolimpl.Double
		}
		if feature.Magazines {
			if r.ch.anyInMagazine(r.word, r.some) {
				return r.ch.slot, poolimpl.Double
			}
		}
		if word.CompareAndSwap(old, old-r.some) {
			return r.ch.slot, c.afterFree(r.ch, r.word, old, old-r.some)
		}
	}
}
