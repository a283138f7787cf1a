package shards

import "github.com/poolgen/poolgen/runtime/poolimpl"

// With pages there is one shard, for all processors: memory comes to where the least is missing, and what becomes free merges with all that is free around it. So the
// methods of [poolimpl.PagedCore] are those of its suballocator, with its lock.

// Reserve makes the addresses [base, base+size) a chunk without memory.
func (c *Core) Reserve(slot uint32, base, size, page uint64) {
	c.begin(1)
	s := c.shard(0)
	c.chunks.Add(slot, base, size, &chunk{base: base, size: size, shard: s, slot: slot, paged: true})
	s.used.Store(true)
	c.paged(func(p poolimpl.PagedCore) { p.Reserve(slot, base, size, page) })
	for i := range c.homes {
		c.homes[i].Store(s) // there are several shards if the pool had chunks before
	}
}

// paged calls f with the suballocator that has pages. Its lock is held meanwhile.
func (c *Core) paged(f func(poolimpl.PagedCore)) {
	s := c.shard(0)
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s.core.(poolimpl.PagedCore))
}

// Gap returns the range where memory should be mapped so that a request can be served.
func (c *Core) Gap(bytes, align uint64, by poolimpl.GapRule) (gap poolimpl.Extent) {
	c.paged(func(p poolimpl.PagedCore) { gap = p.Gap(bytes, align, by) })
	return gap
}

// Holes lists the parts of a range that have no memory.
func (c *Core) Holes(in poolimpl.Extent) (holes []poolimpl.Extent) {
	c.paged(func(p poolimpl.PagedCore) { holes = p.Holes(in) })
	return holes
}

// FreePages lists the pages on which no block lies. Another goroutine may allocate one there at once.
func (c *Core) FreePages() (free []poolimpl.Extent) {
	c.paged(func(p poolimpl.PagedCore) { free = p.FreePages() })
	return free
}

// Fill makes a part of a hole free memory.
func (c *Core) Fill(x poolimpl.Extent) {
	c.paged(func(p poolimpl.PagedCore) { p.Fill(x) })
}

// Vacate makes holes of pages, as far as no block lies on them by now, and returns these.
func (c *Core) Vacate(parts []poolimpl.Extent) (gone []poolimpl.Extent) {
	c.paged(func(p poolimpl.PagedCore) { gone = p.Vacate(parts) })
	return gone
}

// Bar keeps memory away from a part of a hole until Unbar.
func (c *Core) Bar(x poolimpl.Extent) {
	c.paged(func(p poolimpl.PagedCore) { p.(poolimpl.MovingCore).Bar(x) })
}

// Unbar ends Bar.
func (c *Core) Unbar(x poolimpl.Extent) {
	c.paged(func(p poolimpl.PagedCore) { p.(poolimpl.MovingCore).Unbar(x) })
}
