package slabs

import (
	"cmp"
	"slices"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// AllocAny takes a block of bytes bytes whose address is a multiple of align from any slab or chunk, and makes room if there is none, as
// the pool cannot grow.
func (c *Core) AllocAny(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.allocAny(bytes, align, false)
}

// AllocOrCount is AllocAny after Flush. If it finds no block, it returns what Usage does. In a full core it searches the suballocator behind without c.mu, and then
// slabs only if one of them has a free block. So goroutines that search at the same time hardly wait for each other.
func (c *Core) AllocOrCount(bytes, align uint64) (slot uint32, off uint64, u poolimpl.Usage, ok bool) {
	moves, isSearched := c.moves.Load(), c.roomNow() == full
	if isSearched {
		if slot, off, u, ok = c.back.AllocOrCount(bytes, align); ok {
			return slot, off, u, true
		}
	}
	if !c.mu.TryLock() {
		poolimpl.LockSlow(&c.mu)
	}
	defer c.mu.Unlock()
	isSearched = isSearched && c.moves.Load() == moves
	if !isSearched {
		c.back.Flush()
	}
	if !isSearched || !c.isSpent() {
		slot, off, ok = c.allocAny(bytes, align, isSearched)
		if !ok && c.back.Flush() { // the suballocator behind has cached what slabs gave back
			slot, off, ok = c.back.AllocAny(bytes, align)
		}
		if ok {
			return slot, off, u, true
		}
	}
	if !isSearched || c.moves.Load() != moves {
		u = c.back.Usage()
	}
	return 0, 0, c.withSlabs(u), false
}

// allocAny is AllocAny. If isSearched, the suballocator behind has no room unless slabs give it some. c.mu is held.
func (c *Core) allocAny(bytes, align uint64, isSearched bool) (slot uint32, off uint64, ok bool) {
	b, fits := c.binFor(bytes, align)
	c.readChanges(every)
	if fits {
		slot, off, ok = c.scan(b, bytes)
	}
	if !ok && !isSearched {
		slot, off, ok = c.allocNew(b, fits, bytes, align)
	}
	if ok {
		return slot, off, true
	}
	c.setRoom(full)
	if c.releaseEmpty() {
		slot, off, ok = c.back.AllocAny(bytes, align)
	}
	for k := b + 1; fits && !ok && k < int(c.usable.Load()) && c.bins[k] < 2*c.bins[b]; k++ {
		if (c.bins[k]|page)&(align-1) == 0 {
			slot, off, ok = c.scan(k, bytes)
		}
	}
	if !ok {
		slot, off, ok = c.merge(bytes, align)
	}
	if !ok {
		c.noteSpent()
	}
	return slot, off, ok
}

// AllocSparing takes a block of bytes bytes whose address is a multiple of align from any slab of its bin, or from any chunk. It leaves slabs as they are, as the pool
// may grow. It may miss a block whose bit in a partialList is about to be set. But it reads no changes: many callers need memory whenever a pool grows, and all
// processors would have to enter their slabs again.
func (c *Core) AllocSparing(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	b, fits := c.binFor(bytes, align)
	if fits {
		if s, off, ok := c.allocElsewhere(c.procCache(poolimpl.Proc()), b, bytes); ok {
			return s.slot, off, true
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.allocNew(b, fits, bytes, align)
}

// binFor returns the bin for a request, and whether slabs of the bin can serve it.
func (c *Core) binFor(bytes, align uint64) (b int, fits bool) {
	b = c.binOf((bytes + align - 1) &^ (align - 1))
	return b, b < int(c.usable.Load()) && (c.bins[b]|page)&(align-1) == 0
}

// allocNew takes a block from a new slab of a bin, if fits, or from the suballocator behind. c.mu is held.
func (c *Core) allocNew(b int, fits bool, bytes, align uint64) (slot uint32, off uint64, ok bool) {
	if fits && c.roomNow() != full {
		d := c.procCache(poolimpl.Proc())
		if s := c.addSlab(d, b); s != nil {
			if w, off, ok := s.alloc(bytes); ok {
				d.bins[b].setOpen(s, s.firstLine+w)
				return s.slot, off, true
			}
		}
	}
	return c.back.AllocAny(bytes, align)
}

// scan takes a block of any slab of a bin. The processor of the caller goes on from that slab.
func (c *Core) scan(b int, bytes uint64) (slot uint32, off uint64, ok bool) {
	for _, s := range c.partial(b) {
		if w, off, ok := s.alloc(bytes); ok {
			c.procCache(poolimpl.Proc()).bins[b].setOpen(s, s.firstLine+w)
			return s.slot, off, true
		}
	}
	return 0, 0, false
}

// merge dissolves slabs until a request fits that nothing else could serve. First it tries slabs with a row of free blocks that is long
// enough, then all slabs of chunks whose free memory comes to enough; free pages can go to where the request needs them, so those of all chunks
// count. Slabs with more free memory go first: the fewer live blocks a slab leaves behind, the less they are in the way of other requests.
func (c *Core) merge(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	type candidate struct {
		*slab
		spare uint64
	}
	var some []candidate
	free := map[uint32]uint64{} // by slot, see pooled
	for _, s := range c.allPartial() {
		n := s.free()
		some = append(some, candidate{s, n})
		free[c.pooled(s.slot)] += n
	}
	if len(some) == 0 {
		return 0, 0, false
	}
	slices.SortFunc(some, func(a, b candidate) int { return cmp.Compare(b.spare, a.spare) })
	for _, s := range some {
		if s.spare >= bytes && s.run() >= bytes+align-1 {
			if slot, off, ok = c.mergeOne(s.slab, bytes, align); ok {
				return slot, off, true
			}
		}
	}
	for slot, ch := range c.chunks.All() {
		if n, any := free[c.pooled(slot)]; any {
			free[c.pooled(slot)] = n + ch.memory - c.back.Used(slot)
		}
	}
	for _, s := range some {
		if free[c.pooled(s.slot)] >= bytes && s.phase == serving {
			if slot, off, ok = c.mergeOne(s.slab, bytes, align); ok {
				return slot, off, true
			}
		}
	}
	return 0, 0, false
}

// mergeOne dissolves a slab for a request. Nothing else in the suballocator behind has room for it.
func (c *Core) mergeOne(s *slab, bytes, align uint64) (slot uint32, off uint64, ok bool) {
	c.dissolve(s)
	return c.back.AllocNear(s.addr, bytes, align)
}
