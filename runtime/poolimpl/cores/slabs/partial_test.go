package slabs

import (
	"sync"
	"sync/atomic"
	"testing"
)

// first takes a block, and returns the slab that it came from, and the list with the slab.
func first(t *testing.T, p *pool) (*slab, *partialList) {
	t.Helper()
	a, ok := p.alloc(bins[0], 1)
	s := p.find(a)
	if !ok || s == nil {
		t.Fatal("no slab")
	}
	return s, s.in.list.Load()
}

// A slab that is added to a list after another goroutine has found nothing at its index, and before that clears the bit, has its bit afterwards.
func TestNewSlabIsPartial(t *testing.T) {
	p := newPool(1)
	s, h := first(t, p)
	for w := range uint32(s.lines) {
		h.clearPartial(s.firstLine + w)
	}
	for n := s.count().live; n < uint64(s.blocks); n++ {
		if _, _, ok := h.alloc(s.in, bins[0]); !ok {
			t.Fatalf("%d blocks of a new slab with %d are found", n, s.blocks)
		}
	}
}

// A slab that could not be sealed, as it has a live block, has its bit afterwards, whichever goroutine has read it meanwhile.
func TestUnsealedSlabIsPartial(t *testing.T) {
	p := newPool(1)
	s, h := first(t, p)
	for ok := true; ok; {
		_, _, ok = s.alloc(bins[0])
	}
	word := &s.line(0).word
	word.And(^uint64(all)) // all free
	word.Or(sealed | all)  // as seal does, before it sees that others are live
	if _, _, ok := h.alloc(s.in, bins[0]); ok {
		t.Fatal("a block of a sealed word")
	}
	s.unseal(1)
	if _, _, ok := h.alloc(s.in, bins[0]); !ok {
		t.Error("the free blocks of a slab are not found")
	}
}

// What a word has counted is counted once while the slab takes it over.
func TestOverflowCountedOnce(t *testing.T) {
	p := newPool(1)
	s, _ := first(t, p)
	var done atomic.Bool
	var all sync.WaitGroup
	all.Go(func() {
		for before := uint64(0); !done.Load(); {
			n := s.handedOut()
			if n < before {
				t.Errorf("%d blocks were handed out, and %d before", n, before)
				return
			}
			before = n
		}
	})
	word := &s.line(0).word
	for range 100_000 {
		word.Add(p.countFull - word.Load()&^(p.once-1)) // so many as there is room for
		s.moveOverflow(word)
	}
	done.Store(true)
	all.Wait()
	if n := s.handedOut(); n != 100_000*(p.countFull/p.once) {
		t.Errorf("%d blocks were handed out", n)
	}
}
