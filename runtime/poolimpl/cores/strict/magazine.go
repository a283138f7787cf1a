package strict

import (
	"math/bits"
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Each processor has a magazine (Bonwick and Adams, Magazines and Vmem, USENIX 2001): it takes several free blocks of a word at a time, and
// hands them out one by one later. That takes no atomic instruction, as the goroutine is pinned to the processor meanwhile ([poolimpl.Pin]). The bits of
// a word say that blocks in a magazine are taken, and its [InMagazine] says that they are not live. A free does not put its block into a magazine, but
// changes the word, so that one instruction decides whether the free is valid.
//
// Only its processor takes blocks out of a magazine, until [Core.recall] stops that.

// Magazine has the blocks that a processor has taken from a word. Only a goroutine that is pinned to the processor, or that has recalled all magazines, uses it.
type Magazine struct {
	Some       uint32 // bits of the blocks that are left
	allocs     uint32 // about how many blocks the processor has allocated since the last recall
	Slot       uint32
	First      uint64      // offset of the word's first block
	inMagazine *InMagazine // of the word
	word       uint64
	ch         *Chunk
	own
}

// InMagazine says which blocks of a word are in a magazine. A word has blocks in one magazine at most, whose processor alone writes. Goroutines that
// free blocks of the word read. The type is as large as a word, so neighbouring words share cache lines here just as in the bitmap.
type InMagazine struct {
	some uint32 // bits of the blocks
	_    uint32
}

// Pop takes one of some blocks, which are those of the magazine, at least one. It returns the number of the block in the word. The caller is pinned, and has
// read the other fields: the next one to write them is ordered behind Pop.
func (m *Magazine) Pop(some uint32) (i uint64) {
	rest := some & (some - 1)
	poolimpl.StoreRelaxed(&m.inMagazine.some, rest)
	poolimpl.StoreRelaxed(&m.Some, rest)
	return uint64(bits.TrailingZeros32(some))
}

// pop takes a block of the magazine of processor p, to which the caller is pinned, after the magazine was filled from a word if there is one, and it is empty.
//
//go:nosplit
func (c *Core) pop(p uint32, ch *Chunk, w uint64) (slot uint32, off uint64, ok bool) {
	if p >= MaxProcessors || c.Turn.Load()&Exclusive != 0 {
		return 0, 0, false
	}
	m := &c.Processors[p].Magazine
	some := atomic.LoadUint32(&m.Some)
	if some == 0 && ch != nil {
		some = c.fill(m, ch, w)
	}
	if some == 0 {
		return 0, 0, false
	}
	slot, off = m.Slot, m.First
	return slot, off + m.Pop(some)*c.params.BlockSize, true
}

// allocMagazine fills the magazine of the caller's processor and allocates the first block. If that is not possible or not worth it, it allocates
// a single block. It does not find blocks in the magazines of other processors.
func (c *Core) allocMagazine() (slot uint32, off uint64, ok bool) {
	if !poolimpl.Pins || c.Turn.Load()&Exclusive != 0 {
		return c.allocExclusive()
	}
	slot, off, ok = c.pop(poolimpl.Pin(), nil, 0)
	poolimpl.Unpin()
	if ok { // the block is to be sampled, or the goroutine has moved to another processor
		return slot, off, true
	}
	p := poolimpl.Proc() % MaxProcessors
	h := &c.Processors[p].Hint
	for {
		if ch := h.Chunk.Load(); ch != nil {
			if w, ok := ch.Near(p, h.Word.Load()); ok {
				h.point(ch, w)
				if slot, off, ok = c.refill(ch, w); ok {
					return slot, off, true
				}
				if some := c.alloc(ch, w, 1); some != 0 {
					if ch.AnyInMagazine(w, c.blocks) {
						h.Word.Store(w + Row) // away from the processor whose magazine has the others
					}
					return ch.Slot, c.offset(w, some), true
				}
			}
		}
		if !c.seek(h, p) {
			return 0, 0, false
		}
	}
}

// refill fills the magazine of the caller's processor from a word, and allocates one block. It does nothing if only one block is free, which is not
// worth it.
func (c *Core) refill(ch *Chunk, w uint64) (slot uint32, off uint64, ok bool) {
	if free := ^ch.Words[w].Load() & c.blocks; free&(free-1) == 0 {
		return 0, 0, false
	}
	slot, off, ok = c.pop(poolimpl.Pin(), ch, w) // it is not empty if the goroutine has moved to another processor
	poolimpl.Unpin()
	return slot, off, ok
}

// allocExclusive allocates a single block, in a turn without magazines.
func (c *Core) allocExclusive() (slot uint32, off uint64, ok bool) {
	slot, r := c.AllocRun(1)
	if r.Some != 0 {
		c.maybeEndTurn(poolimpl.Proc()%MaxProcessors, 1, r)
	}
	return c.first(slot, r)
}
