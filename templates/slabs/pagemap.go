package slabs

import (
	"slices"
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// pageMap leads from an address to its slab. It is replaced when a chunk is added or removed; the pages of a chunk change in place.
type pageMap struct {
	starts []uint64 // bases of the chunks, ascending
	chunks []chunk  // by address, like starts
}

// chunk is a chunk of the suballocator behind.
type chunk struct {
	slot  uint32
	size  uint64
	pages []atomic.Pointer[slab]
}

// find returns the slab of the page that an address lies on, nil if the page has none.
func (c *Core) find(addr uint64) *slab {
	t := c.pageMap.Load()
	if t == nil || len(t.starts) == 0 {
		return nil
	}
	i := poolimpl.Nearest(t.starts, addr)
	ch, start := &t.chunks[i], t.starts[i]
	if p := addr/page - start/page; addr >= start && p < uint64(len(ch.pages)) {
		return ch.pages[p].Load()
	}
	return nil
}

// chunkOf returns the page map and the index of a chunk in it, which must be there.
func (c *Core) chunkOf(slot uint32) (t *pageMap, at int) {
	t = c.pageMap.Load()
	return t, slices.IndexFunc(t.chunks, func(ch chunk) bool { return ch.slot == slot })
}

// pages returns the pages of a slab.
func (c *Core) pages(s *slab) []atomic.Pointer[slab] {
	t, at := c.chunkOf(s.slot)
	first := s.addr/page - t.starts[at]/page
	return t.chunks[at].pages[first : first+(s.room+page-1)/page]
}

// setPages enters a slab for its pages. On these, it replaces dissolved slabs of which no block is left there. If the slab ends on a page
// that another one has, setPages reports false and changes nothing.
func (c *Core) setPages(s *slab) bool {
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

// addChunk adds a chunk to the page map.
func (c *Core) addChunk(slot uint32, base, size uint64) {
	t := c.pageMap.Load()
	if t == nil {
		t = new(pageMap)
	}
	at, _ := slices.BinarySearch(t.starts, base)
	pages := make([]atomic.Pointer[slab], (base+size-1)/page-base/page+1)
	c.pageMap.Store(&pageMap{
		starts: slices.Insert(slices.Clone(t.starts), at, base),
		chunks: slices.Insert(slices.Clone(t.chunks), at, chunk{slot, size, pages}),
	})
}

// removeChunk removes a chunk from the page map.
func (c *Core) removeChunk(slot uint32) {
	t, at := c.chunkOf(slot)
	c.pageMap.Store(&pageMap{
		starts: slices.Delete(slices.Clone(t.starts), at, at+1),
		chunks: slices.Delete(slices.Clone(t.chunks), at, at+1),
	})
}
