package slabs

import (
	"cmp"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"slices"
	"sync/atomic"
)

// AllocAny takes a block of bytes bytes whose address is a multiple of align from whatever has room, and makes room where there is none: the
// pool cannot grow.
func (c *Core) AllocAny(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := binOf((bytes + align - 1) &^ (align - 1))
	fits := b < int(c.usable.Load()) && (bins[b]|page)&(align-1) == 0
	if fits {
		if slot, off, ok = c.scan(b, bytes); !ok && !c.full.Load() && c.addSlab(b, true) != nil {
			slot, off, ok = c.scan(b, bytes)
		}
	}
	if !ok {
		slot, off, ok = c.back.AllocAny(bytes, align)
	}
	if !ok {
		c.full.Store(true)
		if c.releaseEmpty() {
			slot, off, ok = c.back.AllocAny(bytes, align)
		}
	}
	for k := b + 1; fits && !ok && k < int(c.usable.Load()) && bins[k] < 2*bins[b]; k++ {
		if (bins[k]|page)&(align-1) == 0 {
			slot, off, ok = c.scan(k, bytes)
		}
	}
	if !ok {
		slot, off, ok = c.merge(bytes, align)
	}
	return slot, off, ok
}

// scan looks into all slabs of a bin. The processor goes on from where there was something.
func (c *Core) scan(b int, bytes uint64) (slot uint32, off uint64, ok bool) {
	for _, s := range c.slabs[b] {
		if off, ok = s.alloc(bytes); ok {
			c.procCaches[poolimpl.Proc()%maxProcCaches].bins[b].open.Store(s)
			return s.slot, off, true
		}
	}
	return 0, 0, false
}

// merge breaks slabs up until a request fits that nothing else could serve: one that is sure to do, or else those in chunks where all that is free
// may come to enough. Of several, it takes the one with the most free memory first: the fewer blocks are left of a slab, the less they are in the way
// of others.
func (c *Core) merge(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	type candidate struct {
		*slab
		spare uint64
	}
	var some []candidate
	free := map[uint32]uint64{} // by slot
	for _, s := range c.all() {
		if n := s.free(); !s.full() {
			some = append(some, candidate{s, n})
			free[s.slot] += n
		}
	}
	slices.SortFunc(some, func(a, b candidate) int { return cmp.Compare(b.spare, a.spare) })
	for _, s := range some {
		if s.spare >= bytes && s.run() >= bytes+align-1 {
			if slot, off, ok = c.mergeOne(s.slab, bytes, align); ok {
				return slot, off, true
			}
		}
	}
	for slot := range free {
		t, at := c.chunkOf(slot)
		free[slot] += t.chunks[at].size - c.back.Used(slot)
	}
	for _, s := range some {
		if free[s.slot] >= bytes && s.word(0).Load()&sealed == 0 {
			if slot, off, ok = c.mergeOne(s.slab, bytes, align); ok {
				return slot, off, true
			}
		}
	}
	return 0, 0, false
}

// mergeOne breaks a slab up for a request.
func (c *Core) mergeOne(s *slab, bytes, align uint64) (slot uint32, off uint64, ok bool) {
	c.dissolve(s)
	return c.back.AllocAny(bytes, align)
}

// someLooks is how often a processor is content with what there is before it looks whether there is room for slabs again.
const someLooks = 256

// roomAgain has such a look. There is room if half of the memory is free: slabs hold about as much again as is live in them.
func (c *Core) roomAgain(d *procCache) bool {
	n := atomic.LoadUint32(&d.looks) + 1
	poolimpl.StoreRelaxed(&d.looks, n)
	if n%someLooks != 0 {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var size uint64
	if t := c.pageMap.Load(); t != nil {
		for _, ch := range t.chunks {
			size += ch.size
		}
	}
	if c.back.Usage().Occupied > size/2 {
		return false
	}
	c.full.Store(false)
	return true
}
