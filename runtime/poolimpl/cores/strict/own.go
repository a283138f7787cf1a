package strict

import (
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// A processor owns the word that it allocates from. Its goroutines change that word by plain loads and stores while they are pinned ([poolimpl.Pin]), both to
// allocate and to free. The idea is that of biased locking (Kawachiya, Koseki and Onodera, Lock Reservation, OOPSLA 2002), for one word at a time.
//
// The word says who owns it, so whoever wants to change a word by compare-and-swap sees an owner and fails if one has come meanwhile. A search
// passes over words of other processors. Before any other goroutine changes a word with an owner, or fails although such words may have free
// blocks, it recalls all words: see [Core.recall]. From then on, words have no owners in the pool, until one processor has allocated many blocks.
// Rows with a word that has an owner are never flagged as full, and no word of a flagged row is claimed. So frees by an owner need not look at
// flags, nor at the gate.

// own is the word that a processor owns. Slot, First, word and ch of the magazine are those of the word.
//
// Only goroutines that are pinned to the processor write, except in a recall. A goroutine reads Slot, First, word and ch before it stores the word: whoever
// writes them has read the word since.
type own struct {
	Own    atomic.Pointer[atomic.Uint64] // nil: the processor owns no word, or a recall has stopped it
	held   atomic.Pointer[atomic.Uint64] // the word that says it is the processor's, or nil
	Base   atomic.Uint64                 // address of the word's first block
	Blocks atomic.Uint64                 // number of the word's blocks
}

// Bits of a word with an owner, above those of the count.
const (
	Owned      uint64 = 1 << 55
	OwnerShift        = 49 // of the number of the owner, and of Owned
	owner             = Owned | (MaxProcessors-1)<<OwnerShift
)

// OwnedBy is a word whose owner is processor p, shifted right by [OwnerShift]. It is no word if p has no word of its own.
func OwnedBy(p uint32) uint64 { return Owned>>OwnerShift + uint64(p) }

// IsOwning reports whether processors may own words at the moment.
func (c *Core) IsOwning() bool { return c.Turn.Load()&Exclusive == 0 }

// Own returns the word that processor p owns, to which the caller is pinned, or nil.
func (c *Core) Own(p uint32) (m *Magazine, word *atomic.Uint64) {
	if p >= MaxProcessors {
		return
	}
	m = &c.Processors[p].Magazine
	return m, m.Own.Load()
}

// allocOwned is AllocRun in a pool whose processors own words. It fails only if at some moment no block was free.
func (c *Core) allocOwned(n uint64) (slot uint32, r Run) {
	for {
		turn := c.Turn.Load()
		if turn&Exclusive == 0 {
			slot, r = c.allocOwning(n)
		} else if slot, r = c.allocShared(n); r.Some == 0 && turn&drained != 0 && c.Turn.Load() == turn {
			return 0, Run{} // no word had an owner since before the search
		}
		if r.Some != 0 {
			return slot, r
		}
		c.recalled()
	}
}

// allocShared is AllocRun while no processor owns a word.
func (c *Core) allocShared(n uint64) (slot uint32, r Run) {
	p := poolimpl.Proc() % MaxProcessors
	if slot, r = c.allocRun(&c.Processors[p].Hint, p, n); r.Some != 0 {
		free := c.blocks &^ r.Chunk.Words[r.Word].Load() // the fast path takes these next
		c.maybeEndTurn(p, uint32(count(free)+count(r.Some)), r)
	}
	return slot, r
}

// allocOwning is AllocRun while processors own words. It does not find blocks in words of other processors.
func (c *Core) allocOwning(n uint64) (slot uint32, r Run) {
	for {
		if r = c.take(nil, 0, n); r.Some != 0 {
			return r.Chunk.Slot, r
		}
		p := poolimpl.Proc() % MaxProcessors
		h := &c.Processors[p].Hint
		if ch := h.Chunk.Load(); ch != nil {
			if w, ok := ch.Near(p, h.Word.Load()); ok {
				h.point(ch, w)
				if r = c.take(ch, w, n); r.Some == 0 {
					r = Run{ch, w, c.alloc(ch, w, n)}
				}
				if r.Some != 0 {
					return r.Chunk.Slot, r
				}
			}
		}
		if !c.seekUnsure(h, p) {
			return 0, Run{}
		}
	}
}

// take allocates up to n blocks of the word that the caller's processor owns. If that is full, the processor gives it up, and owns word w of the chunk from then on,
// if there is a chunk, and the word has no owner and several free blocks.
//
//go:nosplit
func (c *Core) take(ch *Chunk, w, n uint64) (r Run) {
	if p := poolimpl.Pin(); p < MaxProcessors && c.Turn.Load()&Exclusive == 0 {
		m := &c.Processors[p].Magazine
		if word := m.Own.Load(); word != nil {
			r = c.takeOwn(m, word, n)
		}
		if m.held.Load() == nil && ch != nil { // else a recall has stopped the owner, and did not get at the word yet
			r = c.claim(m, p, ch, w, n)
		}
	}
	poolimpl.Unpin()
	return r
}

// takeOwn allocates up to n blocks of the processor's word. It gives the word up if that has no free block, or no room in its count.
//
//go:nosplit
func (c *Core) takeOwn(m *Magazine, word *atomic.Uint64, n uint64) (r Run) {
	old := word.Load()
	some := lowestOf(^old&c.blocks, n)
	if some == 0 || old&CountMask >= countFull {
		poolimpl.StoreRelaxedPointer(&m.Own, nil)
		poolimpl.StoreRelaxedPointer(&m.held, nil)
		word.Store(old &^ owner)
		return r
	}
	r = Run{m.ch, m.word, some}
	poolimpl.StoreRelaxed64(word, c.handOut(old, some))
	return r
}

// claim makes the caller's processor p, which owns no word, the owner of a word, and allocates up to n blocks of the word. It leaves a word alone whose row is
// flagged as full: a free of the word is about to clear the flag.
//
//go:nosplit
func (c *Core) claim(m *Magazine, p uint32, ch *Chunk, w, n uint64) (r Run) {
	word := &ch.Words[w]
	old := word.Load()
	free := ^old & c.blocks
	some := lowestOf(free, n)
	if free&(free-1) == 0 || old >= countFull || ch.Full.Has(w/Row) || !word.CompareAndSwap(old, c.handOut(old, some)+OwnedBy(p)<<OwnerShift) {
		return r
	}
	m.Slot, m.First, m.word, m.ch = ch.Slot, w*c.params.PerWord*c.params.BlockSize, w, ch
	poolimpl.StoreRelaxed64(&m.Base, ch.Base+m.First)
	poolimpl.StoreRelaxed64(&m.Blocks, count(c.blocks&^ch.absent(w)))
	poolimpl.StoreRelaxedPointer(&m.held, word)
	poolimpl.StoreRelaxedPointer(&m.Own, word)
	return Run{ch, w, some}
}

// freeOwn frees live blocks of a word if the caller's processor owns it.
//
//go:nosplit
func (c *Core) freeOwn(r Run) (ok bool) {
	p := poolimpl.Pin()
	word := &r.Chunk.Words[r.Word]
	if c.Turn.Load()&Exclusive == 0 {
		if old := word.Load(); old>>OwnerShift == OwnedBy(p) && c.isLive(r.Chunk, r.Word, old, r.Some) {
			poolimpl.StoreRelaxed64(word, old-r.Some)
			ok = true
		}
	}
	poolimpl.Unpin()
	return ok
}

// stopOwners takes their words from owners that are not at work on them, and reports whether there were some.
func (c *Core) stopOwners() (some bool) {
	for i := range c.Processors {
		if own := &c.Processors[i].Own; own.Load() != nil {
			own.Store(nil)
			some = true
		}
	}
	return some
}

// giveUp makes the word that the processor has owned one without an owner. No goroutine uses the word as its owner.
func (o *own) giveUp() {
	if word := o.held.Load(); word != nil {
		word.And(^owner)
		o.held.Store(nil)
	}
}
