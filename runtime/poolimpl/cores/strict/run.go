package strict

import "github.com/poolgen/poolgen/runtime/poolimpl"

// Run is some blocks of one word, which are allocated or freed in one step.
type Run struct {
	Chunk *Chunk // nil if no block can join the run
	Word  uint64 // number of the word
	Some  uint64 // bits of the blocks
}

// AllocRun allocates from 1 to n blocks of one word. The run has no blocks if no block is free in any chunk.
func (c *Core) AllocRun(n uint64) (slot uint32, r Run) {
	if c.open.Load() != nil && c.params.Owns {
		return c.allocOwned(n)
	}
	p := poolimpl.Proc() % MaxProcessors
	return c.allocRun(&c.Processors[p].Hint, p, n)
}

// AllocRunOn is AllocRun for a stream, by its number: blocks of different streams lie on different cache lines, as long as there is room.
func (c *Core) AllocRunOn(stream, n uint64) (slot uint32, r Run) {
	if c.open.Load() == nil || c.Gate.IsShort() {
		return c.AllocRun(n) // the hints of processors point at what was freed
	}
	return c.allocRun(&c.streams[stream%MaxProcessors].Hint, uint32(stream), n)
}

// AllocOn is Alloc for a stream, as AllocRunOn is AllocRun. It ignores the length: all blocks have the same.
func (c *Core) AllocOn(stream, _ uint64) (slot uint32, off uint64, ok bool) {
	if c.open.Load() == nil { // the parameters may not be set yet
		return 0, 0, false
	}
	if slot, off, ok = c.first(c.AllocRunOn(stream, 1)); ok || c.params.Magazine == 0 {
		return slot, off, ok
	}
	return c.Alloc(c.params.ItemBytes, 1)
}

// allocRun is AllocRun with the hint of processor or stream p.
func (c *Core) allocRun(h *Hint, p uint32, n uint64) (slot uint32, r Run) {
	for {
		if ch := h.Chunk.Load(); ch != nil {
			if w, some := c.allocNear(ch, h, p, n); some != 0 {
				return ch.Slot, Run{ch, w, some}
			}
		}
		if !c.seek(h, p) {
			return 0, Run{}
		}
	}
}

// first returns the first block of a run, if there is one.
func (c *Core) first(slot uint32, r Run) (_ uint32, off uint64, ok bool) {
	if r.Some == 0 {
		return 0, 0, false
	}
	return slot, c.offset(r.Word, r.Some), true
}

// Gather returns a run without blocks, for blocks in the word of the block that starts at addr. Blocks can join it, to be freed together. None can
// if there is no chunk.
func (c *Core) Gather(addr uint64) Run {
	ch := c.Chunks.Find(addr)
	if ch == nil {
		return Run{}
	}
	w, _ := c.bitOf(c.numbers.Of(addr - ch.Base))
	return Run{Chunk: ch, Word: w}
}

// FreeRun frees all blocks of a run, or none of them if one is not live.
func (c *Core) FreeRun(r Run) (slot uint32, v poolimpl.Verdict) {
	if r.Some == 0 {
		return 0, poolimpl.Foreign
	}
	ch := r.Chunk
	word := &ch.Words[r.Word]
	for {
		old := word.Load()
		switch {
		case !c.isLive(ch, r.Word, old, r.Some):
			return ch.Slot, poolimpl.Double
		case old&Owned != 0:
			if c.freeOwn(r) {
				return ch.Slot, poolimpl.Freed
			}
			c.recalled()
		case word.CompareAndSwap(old, old-r.Some):
			return ch.Slot, c.AfterFree(ch, r.Word, old-r.Some)
		}
	}
}
