package slabs

import (
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// A chunk may be a range of addresses, to which memory is mapped by pages, see [poolimpl.PagedCore]. Its table of slabs reaches as far as there were slabs: a range is
// much longer than the memory of a pool, and most of that may be large blocks. Slabs are as large as in chunks of the size of a page.

// Reserve makes the addresses [base, base+size) a chunk without memory.
func (c *Core) Reserve(slot uint32, base, size, page uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.setSpread()
	c.chunks.Add(slot, base, size, &chunk{base: base, size: size, slot: slot, whole: page})
	c.measure(page, 1)
	c.back.Reserve(slot, base, size, page)
}

// Fill makes a part of a hole free memory.
func (c *Core) Fill(x poolimpl.Extent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.addMemory(c.chunks.Find(x.Addr), x.Size)
	c.back.Fill(x)
	c.looked = false
	c.setRoom(roomy)
}

// lengthen makes the table of a chunk reach to an address. Others may still read the earlier table: no slab that they look for is missing there. c.mu is held.
func (c *Core) lengthen(slot uint32, end uint64) {
	ch := c.chunks.At(slot)
	need := (end-1)/page - ch.base/page + 1
	if need <= uint64(len(ch.pages)) {
		return
	}
	longer := *ch
	most := (ch.base+ch.size-1)/page - ch.base/page + 1
	longer.pages = make([]atomic.Pointer[slab], min(max(need, 2*uint64(len(ch.pages))), most))
	for i := range ch.pages {
		longer.pages[i].Store(ch.pages[i].Load())
	}
	c.chunks.Replace(slot, &longer)
}

// Vacate makes holes of pages, as far as no block lies on them by now, and returns these.
func (c *Core) Vacate(parts []poolimpl.Extent) []poolimpl.Extent {
	c.mu.Lock()
	defer c.mu.Unlock()
	parts = c.back.Vacate(parts)
	for _, x := range parts {
		c.addMemory(c.chunks.Find(x.Addr), -x.Size)
	}
	return parts
}

// addMemory counts memory of a chunk that comes, or goes if bytes is negative, modulo 2^64. c.mu is held.
func (c *Core) addMemory(ch *chunk, bytes uint64) {
	ch.memory += bytes
	c.size += bytes
	c.parts += int(int64(bytes) / int64(ch.whole))
}

// pooled returns the slot under which the free memory of a chunk is added up: the same for all if it comes by pages.
func (c *Core) pooled(slot uint32) uint32 {
	if ch := c.chunks.At(slot); ch.whole < ch.size {
		return 0
	}
	return slot
}

// Gap returns the range where memory should be mapped so that a request can be served.
func (c *Core) Gap(bytes, align uint64, by poolimpl.GapRule) poolimpl.Extent {
	return c.back.Gap(bytes, align, by)
}

// Holes lists the parts of a range that have no memory.
func (c *Core) Holes(in poolimpl.Extent) []poolimpl.Extent { return c.back.Holes(in) }

// FreePages lists the pages on which neither a block nor a slab lies.
func (c *Core) FreePages() []poolimpl.Extent { return c.back.FreePages() }

// Bar keeps memory away from a part of a hole until Unbar.
func (c *Core) Bar(x poolimpl.Extent) { c.back.Bar(x) }

// Unbar ends Bar.
func (c *Core) Unbar(x poolimpl.Extent) { c.back.Unbar(x) }

// FlushFor is [Core.Flush] before the pool grows for a request. If slabs serve such requests, they stay.
func (c *Core) FlushFor(bytes uint64) bool {
	if c.binOf(bytes) < int(c.usable.Load()) {
		return c.back.Flush()
	}
	return c.Flush()
}
