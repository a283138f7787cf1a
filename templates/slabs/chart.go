package slabs

import (
	"slices"
	"sync/atomic"

	"github.com/poolgen/poolgen/templates/locate"
)

// chart leads from an address to its slab. It is replaced when a chunk comes or goes; the pages of a chunk change.
type chart struct {
	starts []uint64
	chunks []chunk // by address, as starts
}

// chunk is a chunk of the suballocator behind.
type chunk struct {
	slot  uint32
	pages []atomic.Pointer[slab]
}

// find returns the slab that has the page of an address, nil if none has.
func (c *Core) find(addr uint64) *slab {
	t := c.chart.Load()
	if t == nil || len(t.starts) == 0 {
		return nil
	}
	i := locate.Nearest(t.starts, addr)
	ch, start := &t.chunks[i], t.starts[i]
	if p := addr/page - start/page; addr >= start && p < uint64(len(ch.pages)) {
		return ch.pages[p].Load()
	}
	return nil
}

// paint makes a slab the one of its pages, or none.
func (c *Core) paint(s *slab, as *slab) {
	t := c.chart.Load()
	at := slices.IndexFunc(t.chunks, func(ch chunk) bool { return ch.slot == s.slot })
	first := s.addr/page - t.starts[at]/page
	for p := range s.room / page {
		t.chunks[at].pages[first+p].Store(as)
	}
}

// enter adds a chunk, and leave takes it out.
func (c *Core) enter(slot uint32, base, size uint64) {
	t := c.chart.Load()
	if t == nil {
		t = new(chart)
	}
	at, _ := slices.BinarySearch(t.starts, base)
	pages := make([]atomic.Pointer[slab], (base+size-1)/page-base/page+1)
	c.chart.Store(&chart{
		starts: slices.Insert(slices.Clone(t.starts), at, base),
		chunks: slices.Insert(slices.Clone(t.chunks), at, chunk{slot, pages}),
	})
}

func (c *Core) leave(slot uint32) {
	t := c.chart.Load()
	at := slices.IndexFunc(t.chunks, func(ch chunk) bool { return ch.slot == slot })
	c.chart.Store(&chart{
		starts: slices.Delete(slices.Clone(t.starts), at, at+1),
		chunks: slices.Delete(slices.Clone(t.chunks), at, at+1),
	})
}
