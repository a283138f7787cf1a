package strict

import (
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

const _ = feature.Magazines // only directives use it

// busy is set in a word whose [inMagazine] is about to change. Meanwhile no other goroutine allocates blocks of the word, as they may be those of
// the magazine. Live blocks of the word can be freed.
const busy = once >> 1

// fill moves free blocks of a word into an empty magazine, and returns their bits. It moves none if another goroutine changes the word, or
// another magazine has blocks of the word. The caller is pinned to the processor.
//
//go:nosplit
//poolgen:if feature.Magazines
func (m *magazine) fill(ch *chunk, w uint64) (some uint32) {
	if some = ch.takeForMagazine(w); some != 0 {
		m.slot, m.first, m.word, m.ch, m.inMagazine = ch.slot, w*perWord*blockSize, w, ch, &ch.inMagazine[w]
		poolimpl.StoreRelaxed(&m.some, some)
	}
	return some
}

// takeForMagazine takes free blocks of a word for a magazine. It sets inMagazine before it takes the blocks, so they never look live.
//
//go:nosplit
//poolgen:if feature.Magazines
func (ch *chunk) takeForMagazine(w uint64) uint32 {
	word, inMagazine := &ch.Words[w], &ch.inMagazine[w].some
	old := word.Load()
	some := lowestOf(^old&blocks, magazineSize)
	if some == 0 || old&busy != 0 || old&countMask >= countMask-perWord*once || atomic.LoadUint32(inMagazine) != 0 || !word.CompareAndSwap(old, old|busy) {
		return 0
	}
	poolimpl.StoreRelaxed(inMagazine, uint32(some))
	for {
		old = word.Load()
		if word.CompareAndSwap(old, handOut(old&^busy, some)) {
			return uint32(some)
		}
	}
}

// drain frees the blocks left in a magazine, and returns the word before and after. No goroutine fills a magazine meanwhile. The caller is pinned,
// which keeps the word from being busy for long.
//
//go:nosplit
//poolgen:if feature.Magazines
func (m *magazine) drain(some uint64) (old, now uint64) {
	word := &m.ch.Words[m.word]
	for {
		old = word.Load()
		now = old - some
		if word.CompareAndSwap(old, now|busy) {
			break
		}
	}
	poolimpl.StoreRelaxed(&m.inMagazine.some, 0)
	poolimpl.StoreRelaxed(&m.some, 0)
	word.And(^busy)
	return old, now
}

// anyInMagazine reports whether any of some blocks of a word is in a magazine. A goroutine that frees blocks calls it after it has read the word. If
// the compare-and-swap of the word then succeeds, no block has come into a magazine in between, as the word counts such blocks.
//
//poolgen:if feature.Magazines
func (ch *chunk) anyInMagazine(w, some uint64) bool {
	return uint64(atomic.LoadUint32(&ch.inMagazine[w].some))&some != 0
}
