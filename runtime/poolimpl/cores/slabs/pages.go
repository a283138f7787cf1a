package slabs

import "github.com/poolgen/poolgen/runtime/poolimpl"

// A chunk may be a range of addresses, to which memory is mapped by pages, see [poolimpl.PagedCore]. Slabs are then as large as in chunks of the size of a page.

// Reserve makes the addresses [base, base+size) a chunk without memory.
func (c *Core) Reserve(slot uint32, base, size, page uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.setSpread()
	c.addChunk(slot, base, size, page)
	c.paged = true
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
	c.memory += bytes
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

// Serves reports whether slabs serve requests of that many bytes.
func (c *Core) Serves(bytes uint64) bool { return c.binOf(bytes) < int(c.usable.Load()) }

// FlushFor is [Core.Flush] before the pool grows for a request. If slabs serve such requests, they stay.
func (c *Core) FlushFor(bytes uint64) bool {
	if c.Serves(bytes) {
		return c.back.Flush()
	}
	return c.Flush()
}
