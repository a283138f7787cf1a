package ring

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
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
	if bytes > arenaSize&^(granule-1) {
		return 0
	}
	return (bytes + granule - 1) &^ (granule - 1)
}

// Flush does nothing and reports false: no block is cached.
func (c *Core) Flush() bool { return false }

// Usage counts the blocks. Costs O(arenas).
func (c *Core) Usage() poolimpl.Usage {
	u := poolimpl.Usage{LiveBytes: c.allocated - c.freed}
	if feature.Counters {
		u.LiveBytes += c.peak
		u.Allocs, u.PeakBytes = c.retired, max(c.peak, u.LiveBytes)
	}
	for slot := range c.chunks {
		u.Occupied += c.Used(uint32(slot))
		for _, a := range c.chunks[slot].arenas {
			u.LargestFree = max(u.LargestFree, a.room())
			u.Live += a.newest - a.oldest - a.skipped
			if feature.Counters {
				u.Allocs += a.newest
			}
		}
	}
	if feature.Streams {
		u.Occupied -= c.pending
	}
	for _, slot := range c.fresh {
		u.LargestFree = max(u.LargestFree, c.chunks[slot].cut(slot).size)
	}
	return u
}
