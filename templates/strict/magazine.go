package strict

import (
	"math/bits"
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/strict"
	"github.com/poolgen/poolgen/templates/feature"
)

// Each processor has a magazine (Bonwick and Adams, Magazines and Vmem, USENIX 2001): it takes several free blocks of a word at a time, and
// hands them out one by one later. That takes no atomic instruction, as the goroutine is pinned to the processor meanwhile ([poolimpl.Pin]). The bits of
// a word say that blocks in a magazine are taken, and its [inMagazine] says that they are not live. A free does not put its block into a magazine, but
// changes the word, so that one instruction decides whether the free is valid.
//
// Only its processor takes blocks out of a magazine, until [Core.recall] stops that.

const _ = feature.Magazines // only directives use it

// magazine has the blocks that a processor has taken from a word. It fills cache lines of its own. Only a goroutine that is pinned to the processor,
// or that has recalled all magazines, uses it.
type magazine struct {
	some       uint32 // bits of the blocks that are left
	singles    uint32 // about how many blocks the processor has allocated one by one since the last recall
	slot       uint32
	first      uint64 // offset of the word's first block
	word       uint64
	ch         *chunk
	inMagazine *inMagazine // of the word
	_          [80]byte
}

// inMagazine says which blocks of a word are in a magazine. A word has blocks in one magazine at most, whose processor alone writes. Goroutines that
// free blocks of the word read. The type is as large as a word, so neighbouring words share cache lines here just as in the bitmap.
type inMagazine struct {
	some uint32 // bits of the blocks
	_    uint32
}

// pop takes one of some blocks, which are those of the magazine, at least one. The caller is pinned.
//
//poolgen:if feature.Magazines
func (m *magazine) pop(some uint32) (slot uint32, off uint64) {
	slot, off = m.slot, m.first+uint64(bits.TrailingZeros32(some))*blockSize
	rest := some & (some - 1)
	poolimpl.StoreRelaxed(&m.inMagazine.some, rest)
	poolimpl.StoreRelaxed(&m.some, rest)
	return slot, off
}

// allocMagazine fills the magazine of the caller's processor and allocates the first block. If that is not possible or not worth it, it allocates
// a single block. It does not find blocks in the magazines of other processors.
//
//poolgen:if feature.Magazines
func (c *Core) allocMagazine() (slot uint32, off uint64, ok bool) {
	if !poolimpl.Pins || c.turn.Load()&exclusiveTurn != 0 {
		return c.allocExclusive()
	}
	if feature.Sampled {
		if slot, off, ok = c.popOwn(); ok { // the block is to be sampled, or the goroutine has moved to another processor
			return slot, off, true
		}
	} else {
		if slot, off, ok = c.AllocFast(); ok { // the goroutine has moved to another processor
			return slot, off, true
		}
	}
	p := poolimpl.Proc() % maxHints
	h := &c.hints[p]
	for {
		if ch := h.chunk.Load(); ch != nil {
			if w, ok := ch.Near(p, h.word.Load()); ok {
				h.point(ch, w)
				if slot, off, ok = c.refill(ch, w); ok {
					return slot, off, true
				}
				if some := ch.alloc(w, 1); some != 0 {
					if ch.anyInMagazine(w, blocks) {
						h.word.Store(w + strict.Row) // away from the processor whose magazine has the others
					}
					return ch.slot, (w*perWord + index(some)) * blockSize, true
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
//
//poolgen:if feature.Magazines
func (c *Core) refill(ch *chunk, w uint64) (slot uint32, off uint64, ok bool) {
	if free := ^ch.Words[w].Load() & blocks; free&(free-1) == 0 {
		return 0, 0, false
	}
	p := poolimpl.Pin()
	if p < maxHints && c.turn.Load()&exclusiveTurn == 0 {
		m := &c.magazines[p]
		some := atomic.LoadUint32(&m.some) // not 0 if the goroutine has moved to another processor
		if some == 0 {
			some = m.fill(ch, w)
		}
		if some != 0 {
			slot, off = m.pop(some)
			ok = true
		}
	}
	poolimpl.Unpin()
	return slot, off, ok
}

// popOwn is AllocFast for a request that has been counted.
//
//poolgen:if feature.Magazines && feature.Sampled
func (c *Core) popOwn() (slot uint32, off uint64, ok bool) {
	if p := poolimpl.Pin(); p < maxHints && c.turn.Load()&exclusiveTurn == 0 {
		m := &c.magazines[p]
		if some := atomic.LoadUint32(&m.some); some != 0 {
			slot, off = m.pop(some)
			ok = true
		}
	}
	poolimpl.Unpin()
	return slot, off, ok
}

// allocExclusive allocates a single block, in a turn without magazines.
//
//poolgen:if feature.Magazines
func (c *Core) allocExclusive() (slot uint32, off uint64, ok bool) {
	slot, r := c.AllocRun(1)
	if r.some != 0 {
		c.maybeEndTurn(poolimpl.Proc()%maxHints, r.ch.Words[r.word].Load())
	}
	_, off, ok = r.Next()
	return slot, off, ok
}
