package slabs

import (
	"math/bits"
	"sync/atomic"
)

// chunk is a chunk of the suballocator behind. Its slabs are in pages: those of the core, or its own ones if the chunk lies far from others.
type chunk struct {
	base, size uint64
	pages      *pageMap
}

// pageMap leads from an address to the slab that is on its page. It has entries from its first slab to its last, and a few more: where it has none, there is no slab.
// The zero value has none. [Core.mu] guards all changes.
//
// Goroutines may read a table that a longer one has replaced. They need not look again. A block is handed out after its slab was entered, so whoever frees the block
// reads a table that has the slab, and that entry stays. A slab that is not in the table any more, or has gone since the table was replaced, is sealed: a free that finds it
// looks again with the lock. Where the table has no slab, there was none when the free began, and only the suballocator behind can have a live block.
type pageMap struct{ table atomic.Pointer[pageTable] }

// pageTable is what goroutines read.
type pageTable struct {
	low  uint64 // first page
	list []atomic.Pointer[slab]
}

// at returns the slab on the page of an address, nil if there is none. It is inlined.
func (m *pageMap) at(addr uint64) *slab {
	if t := m.table.Load(); t != nil {
		if p := addr/page - t.low; p < uint64(len(t.list)) {
			return t.list[p].Load()
		}
	}
	return nil
}

// of returns the entries for a slab that has been covered.
func (m *pageMap) of(s *slab) []atomic.Pointer[slab] {
	t, first, end := m.table.Load(), s.addr/page, s.endPage()
	return t.list[first-t.low : end-t.low]
}

// cover makes entries for a slab. Cost: constant on average.
func (m *pageMap) cover(s *slab) {
	low, end := s.addr/page, s.endPage()
	old := m.table.Load()
	if old == nil {
		old = &pageTable{low: low}
	}
	oldEnd := old.low + uint64(len(old.list))
	if low >= old.low && end <= oldEnd {
		return
	}
	room := (max(end, oldEnd)-min(low, old.low))/8 + morePages // for slabs to come on the same side
	if low < old.low {
		low, end = low-min(room, low), oldEnd
	} else {
		low, end = old.low, end+room
	}
	t := &pageTable{low, make([]atomic.Pointer[slab], end-low)}
	for i := range old.list {
		if s := old.list[i].Load(); s != nil {
			t.list[old.low-low+uint64(i)].Store(s)
		}
	}
	m.table.Store(t)
}

// endPage returns the page behind those of a slab.
func (s *slab) endPage() uint64 { return (s.addr+s.room-1)/page + 1 }

// find returns the slab of the page that an address lies on, nil if the page has none.
func (c *Core) find(addr uint64) *slab {
	if s := c.near.at(addr); s != nil || !c.anyFar.Load() {
		return s
	}
	return c.findFar(addr)
}

// findFar is find in chunks that have pages of their own.
func (c *Core) findFar(addr uint64) *slab {
	if ch := c.chunks.Find(addr); ch != nil {
		return ch.pages.at(addr)
	}
	return nil
}

// setPages enters a slab for its pages. On these, it replaces dissolved slabs of which no block is left there. If the slab ends on a page
// that another one has, setPages reports false and changes nothing.
func (c *Core) setPages(s *slab) bool {
	if s.room%page != 0 && c.find(s.addr+s.room-1) != nil {
		return false
	}
	m := c.chunks.At(s.slot).pages
	m.cover(s)
	pages := m.of(s)
	for i := range pages {
		pages[i].Store(s)
	}
	return true
}

// clearPages removes a slab from the pages that it still has.
func (c *Core) clearPages(s *slab) {
	pages := c.chunks.At(s.slot).pages.of(s)
	for i := range pages {
		pages[i].CompareAndSwap(s, nil)
	}
}

// addChunk adds a chunk without slabs.
func (c *Core) addChunk(slot uint32, base, size uint64) {
	c.measure(size, 1)
	c.chunks.Add(slot, base, size, &chunk{base, size, c.pagesFor(base/page, (base+size-1)/page+1)})
}

// pagesFor returns the map for a chunk on some pages, which have been measured. All chunks share one, unless more than half of the pages between them would belong to none.
func (c *Core) pagesFor(low, end uint64) *pageMap {
	if c.chunks.Len() > 0 {
		low, end = min(low, c.low), max(end, c.end)
	}
	if end-low > 2*c.size/page+nearPages {
		c.anyFar.Store(true)
		return new(pageMap)
	}
	c.low, c.end = low, end
	return &c.near
}

// removeChunk removes a chunk without slabs.
func (c *Core) removeChunk(slot uint32) {
	c.measure(c.chunks.At(slot).size, -1)
	c.chunks.Remove(slot)
	if c.chunks.Len() == 0 {
		c.near.table.Store(nil)
		c.anyFar.Store(false)
	}
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
	c.size += size * uint64(n)
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
