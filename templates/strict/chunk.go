package strict

import (
	"math/bits"
	"sync"
	"sync/atomic"

	rt "runtime"

	"github.com/poolgen/poolgen/runtime/poolimpl/cores/strict"
	"github.com/poolgen/poolgen/templates/feature"
)

// chunk is one chunk. Its fields never change, except atomic ones, elements of slices, and what overflowMu guards.
type chunk struct {
	base  uint64
	count uint64 // of blocks
	slot  uint32
	strict.Rows
	//poolgen:if feature.Trims
	idle strict.Flags // rows that have no live block
	//poolgen:if feature.Magazines
	inMagazine []inMagazine // by word
	//poolgen:if counted
	overflowMu sync.Mutex // guards overflow, and is held while words are added up
	//poolgen:if counted
	overflow uint64 // allocations moved here from words whose count was full
}

// newChunk returns a chunk whose blocks are all free. Only the last word is written to before it is used.
func newChunk(slot uint32, base, count uint64) *chunk {
	n := (count + perWord - 1) / perWord
	ch := &chunk{base: base, count: count, slot: slot, Rows: strict.NewRows(n, blocks, min(rt.GOMAXPROCS(0), maxHints))}
	if feature.Trims {
		ch.idle = strict.NewFlags(ch.Count())
	}
	if feature.Magazines {
		ch.inMagazine = make([]inMagazine, n)
	}
	if n > 0 {
		ch.Words[n-1].Store(ch.absent(n - 1))
	}
	return ch
}

// absent returns the bits of a word that stand for no block because the chunk ends before them.
func (ch *chunk) absent(w uint64) uint64 {
	if rest := ch.count - w*perWord; rest < perWord {
		return blocks &^ (1<<rest - 1)
	}
	return 0
}

// allocNear allocates up to n free blocks of one word, near the word that the hint of processor or stream p points at. It returns the number of the word
// and the bits of the blocks.
func (ch *chunk) allocNear(h *hint, p uint32, n uint64) (w, some uint64) {
	w, ok := ch.Near(p, h.word.Load())
	if !ok {
		return 0, 0
	}
	h.point(ch, w)
	return w, ch.alloc(w, n)
}

// alloc allocates up to n free blocks of a word, and returns their bits: 0 only if the word has no free block.
func (ch *chunk) alloc(w, n uint64) (some uint64) {
	word := &ch.Words[w]
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

// lowestOf returns the n lowest of some bits, or all if there are fewer.
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

// moveOverflow moves the count of a word to the chunk.
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
