package fixed

import (
	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/templates/feature"
)

// Used returns the bytes that the live blocks of a chunk take up.
func (c *Core) Used(slot uint32) uint64 {
	if !single {
		if slot != c.slot {
			return c.chunks[slot].live * blockSize
		}
	}
	return c.live() * blockSize
}

// Need returns the size of a chunk with one block, or 0 when no block is large or aligned enough.
func (c *Core) Need(bytes, align uint64) uint64 {
	if bytes > blockSize || blockSize&(align-1) != 0 {
		return 0
	}
	return blockSize
}

// Flush has nothing to give back: no block is kept for anybody.
func (c *Core) Flush() bool { return false }

// Usage counts what is handed out. Costs O(1).
func (c *Core) Usage() runtime.Usage {
	live := c.taken - c.given
	u := runtime.Usage{Live: live, LiveBytes: live * itemBytes, Occupied: live * blockSize}
	if feature.Counters {
		u.Allocs, u.PeakBytes = c.taken, max(c.peak, live)*itemBytes
	}
	if c.hasFree() {
		u.LargestFree = itemBytes
	}
	return u
}

// hasFree reports whether the next Alloc succeeds.
func (c *Core) hasFree() bool {
	if !single {
		if len(c.partly) > 0 {
			return true
		}
	}
	return uint64(c.head) < uint64(len(c.next)) || uint64(len(c.next)) < c.blocks
}
