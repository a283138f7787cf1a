package strict

import (
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// fill moves free blocks of a word into an empty magazine, and returns their bits. It moves none if another goroutine changes the word, or
// another magazine has blocks of the word. The caller is pinned to the processor.
//
//go:nosplit
func (c *Core) fill(m *Magazine, ch *Chunk, w uint64) (some uint32) {
	if some = c.takeForMagazine(ch, w); some != 0 {
		m.Slot, m.First, m.word, m.ch, m.inMagazine = ch.Slot, w*c.params.PerWord*c.params.BlockSize, w, ch, &ch.inMagazine[w]
		poolimpl.StoreRelaxed(&m.Some, some)
	}
	return some
}

// takeForMagazine takes free blocks of a word for a magazine. It sets inMagazine before it takes the blocks, so they never look live.
//
//go:nosplit
func (c *Core) takeForMagazine(ch *Chunk, w uint64) uint32 {
	word, inMagazine := &ch.Words[w], &ch.inMagazine[w].some
	old := word.Load()
	some := lowestOf(^old&c.blocks, c.params.Magazine)
	if some == 0 || old&busy != 0 || old >= countFull || atomic.LoadUint32(inMagazine) != 0 || !word.CompareAndSwap(old, old|busy) {
		return 0
	}
	poolimpl.StoreRelaxed(inMagazine, uint32(some))
	for {
		old = word.Load()
		if word.CompareAndSwap(old, c.handOut(old&^busy, some)) {
			return uint32(some)
		}
	}
}

// drain frees the blocks left in a magazine, and returns the word since then. No goroutine fills a magazine meanwhile. The caller is pinned,
// which keeps the word from being busy for long.
//
//go:nosplit
func (m *Magazine) drain(some uint64) (now uint64) {
	word := &m.ch.Words[m.word]
	for {
		old := word.Load()
		if now = old - some; word.CompareAndSwap(old, now|busy) {
			break
		}
	}
	poolimpl.StoreRelaxed(&m.inMagazine.some, 0)
	poolimpl.StoreRelaxed(&m.Some, 0)
	word.And(^busy)
	return now
}

// AnyInMagazine reports whether any of some blocks of a word is in a magazine. A goroutine that frees blocks calls it after it has read the word. If
// the compare-and-swap of the word then succeeds, no block has come into a magazine in between, as the word counts such blocks.
func (ch *Chunk) AnyInMagazine(w, some uint64) bool {
	return uint64(atomic.LoadUint32(&ch.inMagazine[w].some))&some != 0
}
