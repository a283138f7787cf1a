package slabs

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"slices"
	"sync/atomic"
)

// pageMap leads from an address to its slab. It is replaced when a chunk comes or goes; the pages of a chunk change.
type pageMap struct {
	starts []uint64
	chunks []chunk // by address, as starts
}

// chunk is a chunk of the suballocator behind.
type chunk struct {
	slot  uint32
	size  uint64
	pages []atomic.Pointer[slab]
}

// find returns the slab that has the page of an address, nil if none has.
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

// chunkOf returns the chunk of a slot, which must have one.
func (c *Core) chunkOf(slot uint32) (t *pageMap, at int) {
	t = c.pageMap.Load()
	return t, slices.IndexFunc(t.chunks, func(ch chunk) bool { return ch.slot == slot })
}

// pages returns those of a slab.
func (c *Core) pages(s *slab) []atomic.Pointer[slab] {
	t, at := c.chunkOf(s.slot)
	first := s.addr/page - t.starts[at]/page
	return t.chunks[at].pages[first : first+(s.room+page-1)/page]
}

// setPages makes a slab the one of its pages. One that was broken up loses those that nothing of it is left on. It keeps one that the new slab ends
// on: then paint reports false.
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

// clearPages takes a slab off the pages that are still its own.
func (c *Core) clearPages(s *slab) {
	pages := c.pages(s)
	for i := range pages {
		pages[i].CompareAndSwap(s, nil)
	}
}

// addChunk adds a chunk, and leave takes it out.
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

func (c *Core) removeChunk(slot uint32) {
	t, at := c.chunkOf(slot)
	c.pageMap.Store(&pageMap{
		starts: slices.Delete(slices.Clone(t.starts), at, at+1),
		chunks: slices.Delete(slices.Clone(t.chunks), at, at+1),
	})
}
