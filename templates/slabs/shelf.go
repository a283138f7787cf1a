package slabs

import (
	"math/bits"
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime"
)

// desk is where a processor starts.
type desk struct {
	bins  [len(bins)]place
	looks uint32 // how often there was no room for a slab
	_     [128]byte
}

// place is what a desk has of one bin: the slab that it is at, and all its slabs.
type place struct {
	open  atomic.Pointer[slab]
	shelf atomic.Pointer[shelf]
}

// shelf is slabs, with a mark for each that may have a free block: so that, however many are full, one that is not is found at once.
//
// A mark and what it is about do not change together. Whoever clears a mark looks at the slab again afterwards, and sets it if there is a free block
// after all; whoever frees a block of a full word looks at the mark afterwards, and sets it. One of the two sees what the other did, so that no
// free block stays without a mark.
type shelf struct {
	slabs []atomic.Pointer[slab]
	marks []atomic.Uint64
	at    uint32   // the slab that had its turn last
	spare []uint32 // places without a slab, under the lock
}

// mark notes that a slab may have a free block. It writes only if that changes something.
func (h *shelf) mark(i uint32) {
	if word, bit := &h.marks[i/64], uint64(1)<<(i%64); word.Load()&bit == 0 {
		word.Or(bit)
	}
}

// unmark takes back a mark, unless the slab there, which may have come just now, has a free block.
func (h *shelf) unmark(i uint32) {
	h.marks[i/64].And(^(uint64(1) << (i % 64)))
	if s := h.slabs[i].Load(); s != nil && !s.full() {
		h.mark(i)
	}
}

// take hands out a free block of the slab that comes next: the one whose turn was longest ago, so that most has been freed in it since.
func (h *shelf) take(bytes uint64) (s *slab, off uint64, ok bool) {
	from := atomic.LoadUint32(&h.at) + 1
	w := from / 64 % uint32(len(h.marks))
	some := ^uint64(0) << (from % 64)
	for range len(h.marks) + 1 {
		for marks := h.marks[w].Load() & some; marks != 0; marks &= marks - 1 {
			i := w*64 + uint32(bits.TrailingZeros64(marks))
			if s = h.slabs[i].Load(); s != nil {
				if off, ok = s.takeAny(bytes); ok {
					runtime.Jot(&h.at, i)
					return s, off, true
				}
			}
			h.unmark(i)
		}
		some = ^uint64(0)
		if w++; w == uint32(len(h.marks)) {
			w = 0
		}
	}
	return nil, 0, false
}

// leastShelf is how many slabs a shelf has room for at first.
const leastShelf = 64

// put adds a slab, under the lock. A larger shelf, where one is needed, has all marks: those that are wrong do not last.
func (p *place) put(s *slab) {
	h := p.shelf.Load()
	if h == nil || len(h.spare) == 0 {
		h = h.doubled()
	}
	s.place = h.spare[len(h.spare)-1]
	h.spare = h.spare[:len(h.spare)-1]
	h.slabs[s.place].Store(s)
	h.mark(s.place)
	p.shelf.Store(h)
	p.open.Store(s)
}

// doubled returns a shelf with the same slabs and room for as many more. Without a shelf it is the first.
func (h *shelf) doubled() *shelf {
	had := 0
	if h != nil {
		had = len(h.slabs)
	}
	n := max(2*had, leastShelf)
	d := &shelf{slabs: make([]atomic.Pointer[slab], n), marks: make([]atomic.Uint64, n/64)}
	for i := range had {
		s := h.slabs[i].Load()
		d.slabs[i].Store(s)
		d.mark(uint32(i))
	}
	for i := n - 1; i >= had; i-- {
		d.spare = append(d.spare, uint32(i))
	}
	return d
}

// remove takes a slab away, under the lock.
func (h *shelf) remove(s *slab) {
	h.slabs[s.place].Store(nil)
	h.spare = append(h.spare, s.place)
}
