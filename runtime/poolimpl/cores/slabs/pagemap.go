package slabs

import (
	"math/bits"
	"sync/atomic"
)

// chunk is a chunk of the suballocator behind. Its pages lead from an address to its slab; they alone change.
type chunk struct {
	base, size uint64
	pages      []atomic.Pointer[slab] // as far as there were slabs
	slot       uint32
	memory     uint64 // in bytes; [Core.mu] guards it
	whole      uint64 // bytes of memory that come at once: size, or those of a page of [Core.Reserve]
}

// find returns the slab of the page that an address lies on, nil if the page has none.
func (c *Core) find(addr uint64) *slab {
	ch := c.chunks.Find(addr)
	if ch == nil || addr < ch.base {
		return nil
	}
	if p := addr/page - ch.base/page; p < uint64(len(ch.pages)) {
		return ch.pages[p].Load()
	}
	return nil
}

// pages returns the pages of a slab.
func (c *Core) pages(s *slab) []atomic.Pointer[slab] {
	ch := c.chunks.At(s.slot)
	first := s.addr/page - ch.base/page
	return ch.pages[first : first+(s.room+page-1)/page]
}

// setPages enters a slab for its pages. On these, it replaces dissolved slabs of which no block is left there. If the slab ends on a page
// that another one has, setPages reports false and changes nothing.
func (c *Core) setPages(s *slab) bool {
	c.lengthen(s.slot, s.addr+s.room)
	pages := c.pages(s)
	if s.room%page != 0 && pages[len(pages)-1].Load() != nil {
		return false
	}
	for i := range pages {
		pages[i].Store(s)
	}
	return true
}

// clearPages removes a slab from the pages that it still has.
func (c *Core) clearPages(s *slab) {
	pages := c.pages(s)
	for i := range pages {
		pages[i].CompareAndSwap(s, nil)
	}
}

// addChunk adds a chunk without slabs.
func (c *Core) addChunk(slot uint32, base, size uint64) {
	pages := make([]atomic.Pointer[slab], (base+size-1)/page-base/page+1)
	ch := &chunk{base: base, size: size, slot: slot, pages: pages, whole: size}
	c.chunks.Add(slot, base, size, ch)
	c.measure(size, 1)
	c.addMemory(ch, size)
}

// removeChunk removes a chunk without slabs.
func (c *Core) removeChunk(slot uint32) {
	ch := c.chunks.At(slot)
	c.measure(ch.whole, -1)
	c.addMemory(ch, -ch.memory)
	c.chunks.Remove(slot)
}

// reaches counts chunks by the number of bits of how large slabs may be with them.
type reaches [65]uint32

// largest returns how large slabs may be with the largest chunk.
func (r *reaches) largest() uint64 {
	for n := len(r) - 1; n > 0; n-- {
		if r[n] > 0 {
			return 1 << (n - 1)
		}
	}
	return 0
}

// measure counts a chunk that is added, or removed if n is -1, and computes how large slabs may be with the chunks, and which bins have
// slabs. c.mu is held.
func (c *Core) measure(size uint64, n int) {
	c.reaches[bits.Len64(reachOf(size))] += uint32(n)
	reach := c.reaches.largest()
	if reach == c.reach {
		return
	}
	c.reach = reach
	k := 0
	for k < len(c.bins) && c.blocksOf(c.bins[k], c.reach) > 0 {
		k++
	}
	c.usable.Store(int32(k))
}
