package strict

import (
	"sync"
	"sync/atomic"

	rt "runtime"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Chunk is one chunk. Its fields never change, except atomic ones, elements of slices, and what overflowMu guards.
type Chunk struct {
	Base   uint64
	Blocks uint64 // number of them
	Slot   uint32
	Rows
	last       uint64       // bits of the last word that stand for no block because the chunk ends before them
	Idle       Flags        // with Trims: rows that have no live block
	inMagazine []InMagazine // with magazines: by word
	overflowMu sync.Mutex   // guards overflow, and is held while words are added up
	overflow   uint64       // allocations moved here from words whose count was full
}

// newChunk returns a chunk whose blocks are all free. Only the last word is written to before it is used.
func (c *Core) newChunk(slot uint32, base, blocks uint64) *Chunk {
	per := c.params.PerWord
	n := (blocks + per - 1) / per
	ch := &Chunk{Base: base, Blocks: blocks, Slot: slot, Rows: NewRows(n, c.blocks, min(rt.GOMAXPROCS(0), MaxProcessors))}
	if c.params.Trims {
		ch.Idle = NewFlags(ch.Count())
	}
	if c.params.Magazine > 0 {
		ch.inMagazine = make([]InMagazine, n)
	}
	if n > 0 {
		ch.last = c.blocks &^ (1<<(blocks-(n-1)*per) - 1)
		ch.Words[n-1].Store(ch.last)
	}
	return ch
}

// absent returns the bits of a word that stand for no block because the chunk ends before them.
func (ch *Chunk) absent(w uint64) uint64 {
	if w+1 == uint64(len(ch.Words)) {
		return ch.last
	}
	return 0
}

// allocNear allocates up to n free blocks of one word, near the word that the hint of processor or stream p points at. It returns the number of the word
// and the bits of the blocks.
func (c *Core) allocNear(ch *Chunk, h *Hint, p uint32, n uint64) (w, some uint64) {
	w, ok := ch.Near(p, h.Word.Load())
	if !ok {
		return 0, 0
	}
	h.point(ch, w)
	return w, c.alloc(ch, w, n)
}

// alloc allocates up to n free blocks of a word, and returns their bits: 0 only if the word has no free block, or an owner.
func (c *Core) alloc(ch *Chunk, w, n uint64) (some uint64) {
	word := &ch.Words[w]
	for {
		old := word.Load()
		if some = lowestOf(^old&c.blocks, n); some == 0 || old&Owned != 0 {
			return 0
		}
		if old&busy != 0 {
			rt.Gosched()
			continue
		}
		if old >= countFull {
			c.moveOverflow(ch, word)
			continue
		}
		if word.CompareAndSwap(old, c.handOut(old, some)) {
			if c.params.Trims && ch.IsIdle(w, old) {
				ch.Idle.Clear(w / Row)
			}
			return some
		}
	}
}

// moveOverflow moves the count of a word to the chunk, unless the word has an owner. In pools with owners, the caller's processor counts those allocations.
func (c *Core) moveOverflow(ch *Chunk, word *atomic.Uint64) {
	ch.overflowMu.Lock()
	defer ch.overflowMu.Unlock()
	for {
		old := word.Load()
		if old&(Sealed|Owned) != 0 {
			return
		}
		if word.CompareAndSwap(old, old&^CountMask) {
			n := old & CountMask / Once
			if ch.overflow += n; c.params.Owns {
				c.countAllocs(poolimpl.Proc()%MaxProcessors, uint32(n))
			}
			return
		}
	}
}
