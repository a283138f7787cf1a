package slabs

import (
	"math/bits"
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// procCache is what the requests of one processor start with.
type procCache struct {
	bins      []procBin
	looks     uint32             // requests that got no slab for lack of room
	used      bool               // it is in [Core.users]; [Core.mu] guards the field
	countdown poolimpl.Countdown // of the requests that slabs serve
	_         [128]byte

	changes changes // has a lock of its own, which other processors take when they free blocks
	_       [128]byte
}

// apart is how many procBins lie between those of two procCaches, so that they share no cache line, and none that a processor fetches with it.
const apart = 4

// procBin is what a procCache has of one bin.
type procBin struct {
	open   atomic.Pointer[slab]        // slab that served last
	list   atomic.Pointer[partialList] // all slabs of the procCache in the bin
	opened openedLines                 // of the list
	at     uint32                      // index of the line that served last, in the list of its slab
	lines  uint32                      // number of lines of the list; [Core.mu] guards writes
}

// setOpen has line i of a list, which is one of slab s, serve the next requests. If the slab goes meanwhile, p keeps it, but it serves none.
func (p *procBin) setOpen(s *slab, i uint32) {
	poolimpl.StoreRelaxed(&p.at, i)
	if p.open.Load() != s {
		poolimpl.StoreRelaxedPointer(&p.open, s)
	}
}

// partialList is a list of slabs with a bit for each line that may have a free block, so that one is found at once however many are full.
// Each slab has the same number of bits, a power of two; those beyond its lines are not used.
//
// A bit and the line do not change together. A goroutine that clears a bit reads the line again afterwards, and sets the bit if there is a
// free block after all. A goroutine that frees a block of a full word reads the bit afterwards, and sets it. One of the two sees what the
// other did, so no free block stays without a bit. The field none works in the same way: a goroutine that sets it reads the bits again
// afterwards, and a goroutine that sets a bit reads none afterwards.
//
// A line of [openedLines] needs no bit. Whoever takes a line from there sets its bit, unless the line is full then: who frees a block of it later adds it again.
type partialList struct {
	slabs   []atomic.Pointer[slab]
	partial *poolimpl.Bitmap // its length is a power of two
	shift   uint8            // log2 of the number of bits of a slab
	none    atomic.Bool      // no bit is set
	unused  []uint32         // indices without a slab; [Core.mu] guards them
}

// setPartial sets the bit of line i: it may have a free block. It writes only if that changes something.
func (h *partialList) setPartial(i uint32) {
	if !h.partial.Has(i) {
		h.partial.Set(i)
		if h.none.Load() {
			h.none.Store(false)
		}
	}
}

// setAll sets the bits of all lines of a slab.
func (h *partialList) setAll(s *slab) {
	for w := range uint32(s.lines) {
		h.setPartial(s.firstLine + w)
	}
}

// setNone sets none, unless a bit is set.
func (h *partialList) setNone() {
	h.none.Store(true)
	if _, ok := h.partial.Next(0, h.partial.Len()); ok {
		h.none.Store(false)
	}
}

// clearPartial clears the bit of line i, unless the line, which may be one of a new slab, has a free block.
func (h *partialList) clearPartial(i uint32) {
	h.partial.Clear(i)
	if s, w := h.at(i); s != nil && !s.isFull(w) {
		h.setPartial(i)
	}
}

// at returns the slab of line i, nil if there is none, and the number of the line there.
func (h *partialList) at(i uint32) (s *slab, w uint32) {
	return h.slabs[i>>h.shift].Load(), i & (1<<h.shift - 1)
}

// alloc hands out a free block for p, which is that of the list or of another processor. It begins with the line after the one that served
// last: that line served longest ago, so most blocks of it have been freed since.
func (h *partialList) alloc(p *procBin, bytes uint64) (s *slab, off uint64, ok bool) {
	if h.none.Load() {
		return nil, 0, false
	}
	n := h.partial.Len()
	from := (atomic.LoadUint32(&p.at) + 1) & (n - 1)
	for _, r := range [...][2]uint32{{from, n}, {0, from}} {
		for i, found := h.partial.Next(r[0], r[1]); found; i, found = h.partial.Next(i+1, r[1]) {
			var w uint32
			if s, w = h.at(i); s != nil {
				if off, _, ok = s.allocIn(w, bytes); ok {
					p.setOpen(s, i)
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

// add adds a slab of a bin whose slabs have up to so many lines. A list that has grown has all bits set; those that are wrong are cleared when they are used. [Core.mu] is held.
func (p *procBin) add(s *slab, lines uint64) {
	h := p.list.Load()
	if h == nil || len(h.unused) == 0 {
		h = h.grown(lines)
	}
	i := h.unused[len(h.unused)-1]
	h.unused = h.unused[:len(h.unused)-1]
	s.in, s.firstLine = p, i<<h.shift
	h.slabs[i].Store(s)
	h.setAll(s)
	p.list.Store(h)
	poolimpl.StoreRelaxed(&p.lines, p.lines+uint32(s.lines))
}

// grown returns a list with the same slabs and twice the room; a first list, for slabs of up to so many lines, if h is nil.
func (h *partialList) grown(lines uint64) *partialList {
	had := 0
	if h != nil {
		had = len(h.slabs)
	}
	n := max(2*had, leastList)
	shift := bits.Len64(lines - 1)
	d := &partialList{slabs: make([]atomic.Pointer[slab], n), partial: poolimpl.NewBitmap(uint32(n << shift)), shift: uint8(shift)}
	for i := range had {
		if s := h.slabs[i].Load(); s != nil {
			d.slabs[i].Store(s)
			d.setAll(s)
		}
	}
	for i := n - 1; i >= had; i-- {
		d.unused = append(d.unused, uint32(i))
	}
	return d
}

// remove removes a slab. [Core.mu] is held.
func (p *procBin) remove(s *slab) {
	h := p.list.Load()
	i := s.firstLine >> h.shift
	h.slabs[i].Store(nil)
	h.unused = append(h.unused, i)
	poolimpl.StoreRelaxed(&p.lines, p.lines-uint32(s.lines))
}
