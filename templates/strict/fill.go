package strict

import (
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

const _ = feature.Magazines // the condition of what stands here

// busy marks a word whose cover is about to change. Until then no other goroutine takes blocks of the word: they may be the ones that the cover is about.
// Blocks are freed as ever, as those are live.
const busy = once >> 1

// fill takes free blocks of a word into an empty magazine, and tells which. It takes none if others are at work on the word, or have blocks of it in a
// magazine. The caller is pinned to the processor.
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

// takeForMagazine takes free blocks of a word for a magazine. They are covered before they are taken, so that they never look live.
//
//go:nosplit
//poolgen:if feature.Magazines
func (ch *chunk) takeForMagazine(w uint64) uint32 {
	word, inMagazine := &ch.words[w], &ch.inMagazine[w].some
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

// drain frees what is left in a magazine, and tells what the word was and is. No goroutine claims blocks meanwhile. The caller is pinned, so that the word
// is not busy for long.
//
//go:nosplit
//poolgen:if feature.Magazines
func (m *magazine) drain(some uint64) (old, now uint64) {
	word := &m.ch.words[m.word]
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

// anyInMagazine reports whether any of some blocks of a word lies in a magazine. A goroutine that is about to free them calls it after reading the word: if the word is still
// the same when it is changed, none of them has come into a magazine meanwhile, as that is counted there.
//
//poolgen:if feature.Magazines
func (ch *chunk) anyInMagazine(w, some uint64) bool {
	return uint64(atomic.LoadUint32(&ch.inMagazine[w].some))&some != 0
}
