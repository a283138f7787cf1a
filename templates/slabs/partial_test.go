package slabs

import (
	rt "runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// first takes a block, and returns the slab that it came from, and the list with the slab.
func first(t *testing.T, p *pool) (*slab, *partialList) {
	t.Helper()
	a, ok := p.alloc(bins[0], 1)
	s := p.find(a)
	if !ok || s == nil {
		t.Fatal("no slab")
	}
	return s, s.procCache.bins[s.bin].list.Load()
}

// A slab that is added to a list after another goroutine has found nothing at its index, and before that clears the bit, has its bit afterwards.
func TestNewSlabIsPartial(t *testing.T) {
	p := newPool(1)
	s, h := first(t, p)
	h.clearPartial(s.listIndex)
	if _, _, ok := h.alloc(bins[0]); !ok {
		t.Error("the free blocks of a new slab are not found")
	}
}

// behind leaves all slabs of the pool to the processor after that of the caller, as if goroutines had moved from there.
func (p *pool) behind() {
	own := &p.procCaches[poolimpl.Proc()%maxProcCaches]
	other := &p.procCaches[(poolimpl.Proc()+1)%maxProcCaches]
	for _, s := range p.all() {
		own.bins[s.bin].list.Load().remove(s)
		own.bins[s.bin].open.Store(nil)
		s.procCache = other
		other.bins[s.bin].add(s)
	}
}

// A processor without room takes free blocks from slabs of another processor if the pool has 1.5 times the memory of its live blocks. With less,
// the pool may grow.
func TestCrowded(t *testing.T) {
	defer rt.GOMAXPROCS(rt.GOMAXPROCS(1))
	const bytes = 4096
	b := binOf(bytes)
	for _, test := range []struct {
		free uint64 // in each ten blocks
		want room
	}{{3, scarce}, {4, crowded}} {
		p := newPool(2)
		live := p.fill(bytes)
		for i, a := range live {
			if uint64(i)%10 < test.free {
				p.free(t, a, bytes)
			}
		}
		p.behind()
		p.setRoom(roomy) // fill has ended at the limit
		slot, off, ok := p.Alloc(bytes, 1)
		if ok != (test.want == crowded) || room(p.room.Load()) != test.want {
			t.Fatalf("%d of 10 blocks are free: %v, room %d", test.free, ok, p.room.Load())
		}
		if !ok {
			continue
		}
		if s := p.find(p.bases[slot] + off); s == nil || p.procCaches[poolimpl.Proc()%maxProcCaches].bins[b].open.Load() != s {
			t.Errorf("the processor does not go on from slab %p", s)
		}
	}
}

// A slab that could not be sealed, as it has a live block, has its bit afterwards, whichever goroutine has read it meanwhile.
func TestUnsealedSlabIsPartial(t *testing.T) {
	p := newPool(1)
	s, h := first(t, p)
	for ok := true; ok; {
		_, ok = s.alloc(bins[0])
	}
	s.word(0).And(^uint64(all)) // all free
	s.word(0).Or(sealed | all)  // as seal does, before it sees that others are live
	if _, _, ok := h.alloc(bins[0]); ok {
		t.Fatal("a block of a sealed word")
	}
	s.unseal(1)
	if _, _, ok := h.alloc(bins[0]); !ok {
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
	word := s.word(0)
	for range 100_000 {
		word.Add(countFull - word.Load()&^(once-1)) // so many as there is room for
		s.moveOverflow(word)
	}
	done.Store(true)
	all.Wait()
	if n := s.handedOut(); n != 100_000*(countFull/once) {
		t.Errorf("%d blocks were handed out", n)
	}
}
