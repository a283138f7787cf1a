package strict

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// Run is some blocks of one word, which are allocated or freed in one step.
type Run struct {
	ch   *chunk
	word uint64 // number of the word
	some uint64 // bits of the blocks
}

// AllocRun allocates from 1 to n blocks of one word. The run has no blocks if no block is free in any chunk.
func (c *Core) AllocRun(n uint64) (slot uint32, r Run) {
	p := poolimpl.Proc() % maxHints
	return c.allocRun(&c.hints[p], p, n)
}

// AllocRunOn is AllocRun for a stream, by its number: blocks of different streams lie on different cache lines, as long as there is room.
//
//poolgen:if feature.AllocsOn
func (c *Core) AllocRunOn(stream, n uint64) (slot uint32, r Run) {
	if c.gate.IsShort() {
		return c.AllocRun(n) // the hints of processors point at what was freed
	}
	return c.allocRun(&c.streamHints[stream%maxHints], uint32(stream), n)
}

// AllocOn is Alloc for a stream, as AllocRunOn is AllocRun. It ignores the length: all blocks have the same.
//
//poolgen:if feature.AllocsOn
func (c *Core) AllocOn(stream, _ uint64) (slot uint32, off uint64, ok bool) {
	slot, r := c.AllocRunOn(stream, 1)
	_, off, ok = r.Next()
	if feature.Magazines {
		if !ok {
			return c.allocMagazine()
		}
	}
	return slot, off, ok
}

// allocRun is AllocRun with the hint of processor or stream p.
func (c *Core) allocRun(h *hint, p uint32, n uint64) (slot uint32, r Run) {
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

// Next returns the offset of the first block of a run, and the rest of the run. It reports false if the run has no blocks.
func (r Run) Next() (rest Run, off uint64, ok bool) {
	if r.some == 0 {
		return r, 0, false
	}
	off = (r.word*perWord + index(r.some)) * blockSize
	r.some &= r.some - 1
	return r, off, true
}

// Gather returns a run without blocks, for blocks in the word of the block that starts at addr. Blocks can join it, to be freed together. None can
// if there is no chunk.
func (c *Core) Gather(addr uint64) Run {
	ch := c.chunks.Find(addr)
	if ch == nil {
		return Run{}
	}
	return Run{ch: ch, word: number(addr-ch.base) / perWord}
}

// Join adds the block that starts at addr to a run, if the block lies in the word of the run and has not joined the run before.
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

// FreeRun frees all blocks of a run, or none of them if one is not live.
func (c *Core) FreeRun(r Run) (slot uint32, v poolimpl.Verdict) {
	if r.some == 0 {
		return 0, poolimpl.Foreign
	}
	word := &r.ch.Words[r.word]
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
