package strict

import (
	"math/bits"
	"sync"
	"sync/atomic"

	rt "runtime"

	"github.com/poolgen/poolgen/templates/feature"
)

// chunk is the state of one chunk. What is not atomic in it never changes, save the last two.
type chunk struct {
	words []atomic.Uint64
	base  uint64
	count uint64 // of its blocks
	slot  uint32
	parts uint32 // how many regions there are, see [chunk.region]
	part  uint64 // how many words each has
	full  flags  // rows that have no free block
	//poolgen:if feature.Trims
	idle flags // rows that have no live block
	//poolgen:if feature.Magazines
	inMagazine []inMagazine // by word
	//poolgen:if counted
	overflowMu sync.Mutex // for carried, and while words are added up
	//poolgen:if counted
	overflow uint64 // counted by words that had no more room for it
}

// newChunk returns a chunk whose blocks are all free. Words are not written to before they are used, save the last.
func newChunk(slot uint32, base, count uint64) *chunk {
	n := (count + perWord - 1) / perWord
	ch := &chunk{words: make([]atomic.Uint64, n), base: base, count: count, slot: slot}
	ch.divide(min(rt.GOMAXPROCS(0), maxHints))
	ch.full = newFlags(ch.rows())
	if feature.Trims {
		ch.idle = newFlags(ch.rows())
	}
	if feature.Magazines {
		ch.inMagazine = make([]inMagazine, n)
	}
	if n > 0 {
		ch.words[n-1].Store(ch.absent(n - 1))
	}
	return ch
}

// absent returns the bits of a word that stand for no block, as the chunk ends before.
func (ch *chunk) absent(w uint64) uint64 {
	if rest := ch.count - w*perWord; rest < perWord {
		return blocks &^ (1<<rest - 1)
	}
	return 0
}

// allocNear hands out up to n free blocks of a word near the one that the hint of processor p points at: w is the word, and some tells which.
func (ch *chunk) allocNear(h *hint, p uint32, n uint64) (w, some uint64) {
	w, ok := ch.near(p, h.word.Load())
	if !ok {
		return 0, 0
	}
	h.point(ch, w)
	return w, ch.alloc(w, n)
}

// alloc hands out up to n free blocks of a word, and tells which. It tries until it has some or there are none.
func (ch *chunk) alloc(w, n uint64) (some uint64) {
	word := &ch.words[w]
	for {
		old := word.Load()
		if some = lowestOf(^old&blocks, n); some == 0 {
			return 0
		}
		if feature.Magazines {
			if old&busy != 0 {
				rt.Gosched()
				continue
			}
		}
		if counted {
			if old&countMask >= countMask-perWord*once {
				ch.moveOverflow(word)
				continue
			}
		}
		if word.CompareAndSwap(old, handOut(old, some)) {
			if feature.Trims {
				ch.clearIdle(w, old)
			}
			return some
		}
	}
}

// lowestOf returns the n lowest of some bits, or all.
func lowestOf(some, n uint64) uint64 {
	if uint64(bits.OnesCount64(some)) <= n {
		return some
	}
	rest := some
	for range n {
		rest &= rest - 1
	}
	return some &^ rest
}

// moveOverflow adds what a word has counted to the count of the chunk.
//
//poolgen:if counted
func (ch *chunk) moveOverflow(word *atomic.Uint64) {
	ch.overflowMu.Lock()
	defer ch.overflowMu.Unlock()
	for {
		old := word.Load()
		if old&sealed != 0 {
			return
		}
		if word.CompareAndSwap(old, old&^countMask) {
			ch.overflow += old & countMask / once
			return
		}
	}
}
