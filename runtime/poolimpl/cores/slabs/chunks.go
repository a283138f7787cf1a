package slabs

import (
	rt "runtime"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Add makes a chunk available.
func (c *Core) Add(slot uint32, base, size uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.setSpread()
	c.addChunk(slot, base, size, size)
	c.addMemory(c.chunks.At(slot), size)
	c.back.Add(slot, base, size)
	c.looked = false
	c.setRoom(roomy)
}

// setSpread sets how many procCaches serve streams.
func (c *Core) setSpread() { c.spread.Store(uint32(min(rt.GOMAXPROCS(0), len(c.procCaches)))) }

// Remove removes a chunk without live blocks that no other goroutine uses.
func (c *Core) Remove(slot uint32) { c.Evict(slot) }

// Evict is Remove for a chunk that other goroutines may use. If a block of the chunk is live, the chunk stays and Evict reports false.
func (c *Core) Evict(slot uint32) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.releaseEmptyIf(func(s *slab) bool { return s.slot == slot })
	if !c.back.Evict(slot) {
		return false
	}
	c.removeChunk(slot)
	return true
}

// Used returns the bytes that the live blocks of a chunk take up; a slab with a live block counts as a whole. Pending
// blocks count as live ones. Used gives back the slabs of the chunk without a live block. Costs a look at each slab that has changed.
func (c *Core) Used(slot uint32) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.releaseEmptyIf(func(s *slab) bool { return s.slot == slot })
	return c.back.Used(slot)
}

// Flush gives back the slabs without a live block, and what the suballocator behind keeps for one size. It reports whether there was any.
func (c *Core) Flush() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	any := c.releaseEmpty()
	return c.back.Flush() || any
}

// Usage adds up the counts. It looks at the live blocks of the slabs that have changed since the last two calls. The peak counts slabs as a
// whole, so it is at least the largest number of bytes that were live at one time.
func (c *Core) Usage() poolimpl.Usage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.withSlabs(c.back.Usage())
}

// ResetPeak implements [poolimpl.PeakCore], where slabs count as a whole.
func (c *Core) ResetPeak() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.back.ResetPeak()
}

// withSlabs adds what slabs hold to the counts of the suballocator behind. c.mu is held.
func (c *Core) withSlabs(u poolimpl.Usage) poolimpl.Usage {
	c.countChanged()
	u.Live += c.retired.Live - c.count + c.sums.live
	u.LiveBytes += c.retired.LiveBytes - c.bytes + c.sums.bytes
	u.Occupied += c.retired.Occupied - c.taken + c.sums.occupied
	u.Cached += c.sums.cached
	if c.params.Counters {
		u.Allocs += c.retired.Allocs - c.allocated - c.undone.Load() + c.sums.allocs
	}
	u.LargestFree = max(u.LargestFree, c.largest())
	return u
}

// Shut ends all allocs and frees. If blocks are live and force is not set, Shut reports false and ends nothing.
func (c *Core) Shut(force bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.releaseEmpty()
	if c.count > 0 && !force || !c.back.Shut(force) {
		return false
	}
	for _, s := range c.all() {
		c.shutSlab(s)
		c.removeSlab(s)
	}
	for _, s := range c.dissolved {
		c.recount(s)
		c.retired.Live += s.sums.live
		c.retired.LiveBytes += s.sums.bytes
		c.retired.Occupied += s.sums.occupied
		c.setGone(s)
	}
	c.dissolved = nil
	for slot := range c.chunks.All() {
		c.chunks.Remove(slot)
	}
	c.near.table.Store(nil)
	c.moves.Add(1)
	return true
}

// shutSlab seals a slab, and adds its live blocks to the counts of slabs that are gone. The suballocator behind, which is shut, still
// counts the slab.
func (c *Core) shutSlab(s *slab) {
	for w := range uint32(s.lines) {
		n := s.countIn(w, s.line(w).word.Or(sealed|all))
		c.retired.Live += n.live
		c.retired.LiveBytes += n.bytes
		c.retired.Occupied += n.live * uint64(s.size)
	}
}
