package slabs

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"math/bits"
	"sync/atomic"
)

// procCache is where a processor starts.
type procCache struct {
	bins  [len(bins)]procBin
	looks uint32 // how often there was no room for a slab
	_     [128]byte
}

// procBin is what a desk has of one bin: the slab that it is at, and all its slabs.
type procBin struct {
	open atomic.Pointer[slab]
	list atomic.Pointer[partialList]
}

// partialList is slabs, with a mark for each that may have a free block: so that, however many are full, one that is not is found at once.
//
// A mark and what it is about do not change together. A goroutine that clears a mark reads the slab again afterwards, and sets it if there is a free block
// after all; a goroutine that frees a block of a full word reads the mark afterwards, and sets it. One of the two sees what the other did, so that no
// free block stays without a mark.
type partialList struct {
	slabs   []atomic.Pointer[slab]
	partial []atomic.Uint64
	at      uint32   // the slab that had its turn last
	unused  []uint32 // places without a slab, under the lock
}

// setPartial notes that a slab may have a free block. It writes only if that changes something.
func (h *partialList) setPartial(i uint32) {
	if word, bit := &h.partial[i/64], uint64(1)<<(i%64); word.Load()&bit == 0 {
		word.Or(bit)
	}
}

// clearPartial takes back a mark, unless the slab there, which may have come just now, has a free block.
func (h *partialList) clearPartial(i uint32) {
	h.partial[i/64].And(^(uint64(1) << (i % 64)))
	if s := h.slabs[i].Load(); s != nil && !s.full() {
		h.setPartial(i)
	}
}

// alloc hands out a free block of the slab that comes next: the one whose turn was longest ago, so that most has been freed in it since.
func (h *partialList) alloc(bytes uint64) (s *slab, off uint64, ok bool) {
	from := atomic.LoadUint32(&h.at) + 1
	w := from / 64 % uint32(len(h.partial))
	some := ^uint64(0) << (from % 64)
	for range len(h.partial) + 1 {
		for partial := h.partial[w].Load() & some; partial != 0; partial &= partial - 1 {
			i := w*64 + uint32(bits.TrailingZeros64(partial))
			if s = h.slabs[i].Load(); s != nil {
				if off, ok = s.alloc(bytes); ok {
					poolimpl.StoreRelaxed(&h.at, i)
					return s, off, true
				}
			}
			h.clearPartial(i)
		}
		some = ^uint64(0)
		if w++; w == uint32(len(h.partial)) {
			w = 0
		}
	}
	return nil, 0, false
}

// leastList is how many slabs a shelf has room for at first.
const leastList = 64

// add adds a slab, under the lock. A larger shelf, where one is needed, has all marks: those that are wrong do not last.
func (p *procBin) add(s *slab) {
	h := p.list.Load()
	if h == nil || len(h.unused) == 0 {
		h = h.grown()
	}
	s.listIndex = h.unused[len(h.unused)-1]
	h.unused = h.unused[:len(h.unused)-1]
	h.slabs[s.listIndex].Store(s)
	h.setPartial(s.listIndex)
	p.list.Store(h)
	p.open.Store(s)
}

// grown returns a shelf with the same slabs and room for as many more. Without a shelf it is the first.
func (h *partialList) grown() *partialList {
	had := 0
	if h != nil {
		had = len(h.slabs)
	}
	n := max(2*had, leastList)
	d := &partialList{slabs: make([]atomic.Pointer[slab], n), partial: make([]atomic.Uint64, n/64)}
	for i := range had {
		s := h.slabs[i].Load()
		d.slabs[i].Store(s)
		d.setPartial(uint32(i))
	}
	for i := n - 1; i >= had; i-- {
		d.unused = append(d.unused, uint32(i))
	}
	return d
}

// remove takes a slab away, under the lock.
func (h *partialList) remove(s *slab) {
	h.slabs[s.listIndex].Store(nil)
	h.unused = append(h.unused, s.listIndex)
}
