package strict

import (
	"math/bits"
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// With magazines, each processor claims several free blocks of a word at a time, and hands them out one by one later. That takes no atomic
// instruction, only that no other goroutine runs on the processor meanwhile ([poolimpl.Pin]). Blocks in a magazine are taken, as the bits of their word say,
// but not live, as its cover says. A block is freed in its word, as ever, so that one instruction is the judge of a free.
//
// Only the processor takes blocks out of its magazine until it was stopped: see [Core.recall].

const _ = feature.Magazines // the condition of what stands here

// magazine is what a processor has claimed. It fills lines of its own. Only those who are pinned to the processor touch it, or have recalled all.
type magazine struct {
	some       uint32 // blocks of the word that are left
	singles    uint32 // blocks that the processor took one by one since the last recall, about
	slot       uint32
	first      uint64 // offset of the word's first block
	word       uint64
	ch         *chunk
	inMagazine *inMagazine // of the word
	_          [80]byte
}

// inMagazine tells which blocks of a word lie in a magazine; there is one such magazine at most, and its processor alone writes. A goroutine that frees a
// block of the word reads. It is as large as a word, so that covers are on lines of the cache as words are.
type inMagazine struct {
	some uint32
	_    uint32
}

// pop hands out a block of a magazine that has some. The caller is pinned.
//
//poolgen:if feature.Magazines
func (m *magazine) pop(some uint32) (slot uint32, off uint64) {
	slot, off = m.slot, m.first+uint64(bits.TrailingZeros32(some))*blockSize
	rest := some & (some - 1)
	poolimpl.StoreRelaxed(&m.inMagazine.some, rest)
	poolimpl.StoreRelaxed(&m.some, rest)
	return slot, off
}

// allocMagazine is Alloc: it claims blocks for the processor that the caller runs on, and hands out the first. Where that cannot be, or is not worth it, it
// takes a single block. What lies in the magazines of others is not found.
//
//poolgen:if feature.Magazines
func (c *Core) allocMagazine() (slot uint32, off uint64, ok bool) {
	if !poolimpl.Pins || c.turn.Load()&exclusiveTurn != 0 {
		return c.allocExclusive()
	}
	if slot, off, ok = c.AllocFast(); ok { // the goroutine is on another processor by now
		return slot, off, true
	}
	p := poolimpl.Proc() % maxHints
	h := &c.hints[p]
	for {
		if ch := h.chunk.Load(); ch != nil {
			if w, ok := ch.near(p, h.word.Load()); ok {
				h.point(ch, w)
				if slot, off, ok = c.refill(ch, w); ok {
					return slot, off, true
				}
				if some := ch.alloc(w, 1); some != 0 {
					if ch.anyInMagazine(w, blocks) {
						h.word.Store(w + row) // apart from the goroutine that has claimed the others
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

// refill claims blocks of a word for the processor that the caller runs on, and hands one out. A single one is not worth it.
//
//poolgen:if feature.Magazines
func (c *Core) refill(ch *chunk, w uint64) (slot uint32, off uint64, ok bool) {
	if free := ^ch.words[w].Load() & blocks; free&(free-1) == 0 {
		return 0, 0, false
	}
	p := poolimpl.Pin()
	if p < maxHints && c.turn.Load()&exclusiveTurn == 0 {
		m := &c.magazines[p]
		some := atomic.LoadUint32(&m.some) // there are if the goroutine has moved since it found none
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

// allocExclusive is allocMagazine in a turn without magazines.
//
//poolgen:if feature.Magazines
func (c *Core) allocExclusive() (slot uint32, off uint64, ok bool) {
	p := poolimpl.Proc() % maxHints
	h := &c.hints[p]
	for {
		if ch := h.chunk.Load(); ch != nil {
			if w, some := ch.allocNear(h, p, 1); some != 0 {
				c.maybeEndTurn(p, ch.words[w].Load())
				return ch.slot, (w*perWord + index(some)) * blockSize, true
			}
		}
		if !c.seek(h, p) {
			return 0, 0, false
		}
	}
}
