package ring

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Used returns the bytes of a chunk that live blocks take up, or keep from being used again. Costs O(arenas).
func (c *Core) Used(slot uint32) (n uint64) {
	ch := &c.chunks[slot]
	if !c.isBusy(slot) {
		return 0
	}
	for _, a := range ch.arenas {
		n += a.used()
	}
	return n
}

// Need returns the size of a chunk for the request alone, or 0 if the request is larger than an arena.
func (c *Core) Need(bytes, _ uint64) uint64 {
	if bytes > c.params.ArenaSize&^c.mask {
		return 0
	}
	return c.roundUp(bytes)
}

// Flush does nothing and reports false: no block is cached.
func (c *Core) Flush() bool { return false }

// Usage counts the blocks. Costs O(arenas).
func (c *Core) Usage() poolimpl.Usage {
	u := poolimpl.Usage{LiveBytes: c.allocated - c.freed + c.peak, Allocs: c.retired}
	u.PeakBytes = max(c.peak, u.LiveBytes)
	for slot := range c.chunks {
		u.Occupied += c.Used(uint32(slot))
		for _, a := range c.chunks[slot].arenas {
			u.LargestFree = max(u.LargestFree, a.room())
			u.Live += a.newest - a.oldest - a.skipped
			u.Allocs += a.newest
		}
	}
	u.Occupied -= c.pending
	if !c.params.Counters { // to count costs no more than to ask
		u.Allocs, u.PeakBytes = 0, 0
	}
	for _, slot := range c.fresh {
		u.LargestFree = max(u.LargestFree, c.cut(slot).size)
	}
	return u
}
