package fixed

import "github.com/poolgen/poolgen/runtime/poolimpl"

// Used returns the bytes that the live blocks of a chunk take up. In a range, it first sorts out what is at hand.
func (c *Core) Used(slot uint32) uint64 {
	c.sortOut()
	return c.liveIn(c.chunks[slot]) * c.params.BlockSize
}

// Need returns the size of a chunk with one block, or 0 if no block is large or aligned enough.
func (c *Core) Need(bytes, align uint64) uint64 {
	if size := c.params.BlockSize; bytes <= size && size&(align-1) == 0 {
		return size
	}
	return 0
}

// Flush reports false: there is nothing to give back, as all blocks have one size.
func (c *Core) Flush() bool { return false }

// Usage returns the counts, in constant time. The peak may include the blocks of a batch that failed.
func (c *Core) Usage() poolimpl.Usage {
	live := c.live()
	u := poolimpl.Usage{Live: live, LiveBytes: live * c.params.ItemBytes, Occupied: live * c.params.BlockSize, Retired: c.retired}
	if c.params.Counters {
		u.Allocs, u.PeakBytes = c.Handed, c.peak*c.params.ItemBytes
	}
	if c.hasFree() {
		u.LargestFree = c.params.ItemBytes
	}
	return u
}

// live returns the number of live blocks in all chunks.
func (c *Core) live() uint64 { return c.Handed - c.Returned - c.waiting - c.retired }

// liveIn returns the number of live blocks of a chunk, in a range once those at hand are sorted out. Pending and retired ones count, too.
func (c *Core) liveIn(ch *chunk) uint64 {
	n := ch.carved - ch.free
	if ch == c.current {
		n -= c.atHand() + c.withheldCount
	}
	return n
}

// hasFree reports whether the next Alloc succeeds.
func (c *Core) hasFree() bool {
	_, listed := c.listed.first()
	_, fresh := c.fresh.first()
	return c.withheldCount > 0 || fresh || c.List.hasFreed() || listed
}
