package slabs

import (
	"math/bits"
	"sync/atomic"
)

// chunk is a chunk of the suballocator behind.
type chunk struct {
	base, size uint64
	whole      uint64 // bytes of memory that come at once: size, or those of a page of [Core.Reserve]
	memory     uint64 // in bytes; [Core.mu] guards it
	isFar      bool   // from others: its slabs are in own, and not in [Core.near]
	own        pageMap
}

// pageMap leads from an address to the slab on its page. It has entries from the first slab to the last that there has been, with some room where it grew. Pages
// without an entry have no slab. The zero value has no entries. [Core.mu] guards all changes.
//
// Other goroutines read the table without a lock, perhaps one that a longer table has replaced. That is no harm. A block is handed out after its slab was
// entered, so whoever frees the block reads a table with that slab, and the entry stays the same while the block is live. Other addresses are mistakes. They may
// lead to a slab that is gone, but that is sealed, so the free looks again with the lock; or to no slab, and the suballocator behind judges them.
type pageMap struct{ table atomic.Pointer[pageTable] }

// pageTable is what goroutines read.
type pageTable struct {
	low  uint64 // first page
	list []atomic.Pointer[slab]
}

// at returns the slab on the page of an address, nil if there is none. Cost: three loads. It is inlined.
func (m *pageMap) at(addr uint64) *slab {
	if t := m.table.Load(); t != nil {
		if p := addr/page - t.low; p < uint64(len(t.list)) {
			return t.list[p].Load()
		}
	}
	return nil
}

// of returns the entries for the pages of a slab, which cover has made.
func (t *pageTable) of(s *slab) []atomic.Pointer[slab] {
	return t.list[s.addr/page-t.low : s.endPage()-t.low]
}

// cover returns entries for the pages of a slab. Cost: constant on average.
func (m *pageMap) cover(s *slab) []atomic.Pointer[slab] {
	old := m.table.Load()
	if old == nil {
		old = &pageTable{low: s.addr / page}
	}
	low, end := min(s.addr/page, old.low), max(s.endPage(), old.low+uint64(len(old.list)))
	if end-low == uint64(len(old.list)) {
		return old.of(s)
	}
	room := (end-low)/8 + morePages // where the next slabs are likely to come
	if low < old.low {
		low -= min(room, low)
	} else {
		end += room
	}
	t := &pageTable{low, make([]atomic.Pointer[slab], end-low)}
	for i := range old.list {
		if s := old.list[i].Load(); s != nil {
			t.list[old.low-low+uint64(i)].Store(s)
		}
	}
	m.table.Store(t)
	return t.of(s)
}

// endPage returns the page behind those of a slab.
func (s *slab) endPage() uint64 { return (s.addr+s.room-1)/page + 1 }

// find returns the slab on the page of an address, nil if there is none.
func (c *Core) find(addr uint64) *slab {
	if s := c.near.at(addr); s != nil || !c.anyFar.Load() {
		return s
	}
	return c.findFar(addr)
}

// findFar is find in chunks that are far from others.
func (c *Core) findFar(addr uint64) *slab {
	if ch := c.chunks.Find(addr); ch != nil {
		return ch.own.at(addr)
	}
	return nil
}

// pages returns the map with the slabs of a chunk.
func (c *Core) pages(slot uint32) *pageMap {
	if ch := c.chunks.At(slot); ch.isFar {
		return &ch.own
	}
	return &c.near
}

// setPages enters a slab for its pages. On these, it replaces dissolved slabs of which no block is left there. If the slab ends on a page
// that another one has, setPages reports false and changes nothing.
func (c *Core) setPages(s *slab) bool {
	if s.room%page != 0 && c.find(s.addr+s.room-1) != nil {
		return false
	}
	pages := c.pages(s.slot).cover(s)
	for i := range pages {
		pages[i].Store(s)
	}
	return true
}

// clearPages removes a slab from the pages that it still has.
func (c *Core) clearPages(s *slab) {
	pages := c.pages(s.slot).table.Load().of(s)
	for i := range pages {
		pages[i].CompareAndSwap(s, nil)
	}
}

// addChunk adds a chunk without memory, so many bytes of which come at once.
func (c *Core) addChunk(slot uint32, base, size, whole uint64) {
	ch := &chunk{base: base, size: size, whole: whole}
	c.measure(ch, 1)
	ch.isFar = c.isFar(base/page, (base+size-1)/page+1)
	c.chunks.Add(slot, base, size, ch)
}

// isFar reports whether a chunk that has been measured, on some pages, lies so far from others that a map for all of them might become much longer than they are.
func (c *Core) isFar(low, end uint64) bool {
	if c.chunks.Len() > 0 {
		low, end = min(low, c.low), max(end, c.end)
	}
	if end-low > 2*c.size/page+nearPages {
		c.anyFar.Store(true)
		return true
	}
	c.low, c.end = low, end
	return false
}

// removeChunk removes a chunk without slabs.
func (c *Core) removeChunk(slot uint32) {
	ch := c.chunks.At(slot)
	c.measure(ch, -1)
	c.addMemory(ch, -ch.memory)
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
func (c *Core) measure(ch *chunk, n int) {
	c.size += ch.size * uint64(n)
	c.reaches[bits.Len64(reachOf(ch.whole))] += uint32(n)
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
