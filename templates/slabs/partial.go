package slabs

import (
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// procCache is what the requests of one processor start with.
type procCache struct {
	bins  [len(bins)]procBin
	looks uint32 // requests that got no slab for lack of room
	//poolgen:if crowds
	used bool // it has had a slab; [Core.mu] guards the field
	_    [128]byte
}

// procBin is what a procCache has of one bin.
type procBin struct {
	open atomic.Pointer[slab]        // slab that served last
	list atomic.Pointer[partialList] // all slabs of the procCache in the bin
}

// partialList is a list of slabs with a bit for each that may have a free block, so that one is found at once however many are full.
//
// A bit and the slab do not change together. A goroutine that clears a bit reads the slab again afterwards, and sets the bit if there is a
// free block after all. A goroutine that frees a block of a full word reads the bit afterwards, and sets it. One of the two sees what the
// other did, so no free block stays without a bit. The field none works in the same way: a goroutine that sets it reads the bits again
// afterwards, and a goroutine that sets a bit reads none afterwards.
type partialList struct {
	slabs   []atomic.Pointer[slab]
	partial *poolimpl.Bitmap
	none    atomic.Bool // no bit is set
	at      uint32      // index of the slab that served last
	unused  []uint32    // indices without a slab; [Core.mu] guards them
}

// setPartial sets the bit of slab i: it may have a free block. It writes only if that changes something.
func (h *partialList) setPartial(i uint32) {
	if !h.partial.Has(i) {
		h.partial.Set(i)
		if h.none.Load() {
			h.none.Store(false)
		}
	}
}

// setNone sets none, unless a bit is set.
func (h *partialList) setNone() {
	h.none.Store(true)
	if _, ok := h.partial.Next(0, uint32(len(h.slabs))); ok {
		h.none.Store(false)
	}
}

// clearPartial clears the bit of slab i, unless the slab, which may be a new one, has a free block.
func (h *partialList) clearPartial(i uint32) {
	h.partial.Clear(i)
	if s := h.slabs[i].Load(); s != nil && !s.full() {
		h.setPartial(i)
	}
}

// alloc hands out a free block. It begins with the slab after the one that served last: that slab served longest ago, so most blocks of it
// have been freed since.
func (h *partialList) alloc(bytes uint64) (s *slab, off uint64, ok bool) {
	if h.none.Load() {
		return nil, 0, false
	}
	n := uint32(len(h.slabs))
	from := (atomic.LoadUint32(&h.at) + 1) % n
	for _, r := range [...][2]uint32{{from, n}, {0, from}} {
		for i, found := h.partial.Next(r[0], r[1]); found; i, found = h.partial.Next(i+1, r[1]) {
			if s = h.slabs[i].Load(); s != nil {
				if off, ok = s.alloc(bytes); ok {
					poolimpl.StoreRelaxed(&h.at, i)
					return s, off, true
				}
			}
			h.clearPartial(i)
		}
	}
	h.setNone()
	return nil, 0, false
}

// leastList is the room of a new list, in slabs.
const leastList = 64

// add adds a slab. A list that has grown has all bits set; those that are wrong are cleared when they are used. [Core.mu] is held.
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

// grown returns a list with the same slabs and twice the room; a first list if h is nil.
func (h *partialList) grown() *partialList {
	had := 0
	if h != nil {
		had = len(h.slabs)
	}
	n := max(2*had, leastList)
	d := &partialList{slabs: make([]atomic.Pointer[slab], n), partial: poolimpl.NewBitmap(uint32(n))}
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

// remove removes a slab. [Core.mu] is held.
func (h *partialList) remove(s *slab) {
	h.slabs[s.listIndex].Store(nil)
	h.unused = append(h.unused, s.listIndex)
}
