package fixed

import "github.com/poolgen/poolgen/runtime/poolimpl"

// Used returns the bytes that the live blocks of a chunk take up.
func (c *Core) Used(slot uint32) uint64 {
	c.part()
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
func (c *Core) live() uint64 { return c.Handed - c.Returned + c.others - c.retired }

// liveIn returns the number of live blocks of a chunk. Pending and retired ones count, too.
func (c *Core) liveIn(ch *Chunk) uint64 {
	n := ch.Live
	if ch == c.Current {
		n += c.Handed - c.Returned
	}
	return n
}

// count notes how many blocks of the current chunk are live, before another one becomes the current one.
func (c *Core) count() {
	n := c.Handed - c.Returned
	c.Current.Live += n
	c.others += n
	c.Returned = c.Handed
}

// hasFree reports whether the next Alloc succeeds.
func (c *Core) hasFree() bool {
	return c.withheldCount > 0 || len(c.fresh) > 0 || c.List.hasFreed() || c.firstPartial() != nil
}
