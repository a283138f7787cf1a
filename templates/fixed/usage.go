package fixed

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// Used returns the bytes that the live blocks of a chunk take up.
func (c *Core) Used(slot uint32) uint64 {
	if joins {
		c.part()
	}
	return c.liveIn(c.chunkIn(slot)) * blockSize
}

// Need returns the size of a chunk with one block, or 0 if no block is large or aligned enough.
func (c *Core) Need(bytes, align uint64) uint64 {
	if bytes > blockSize || blockSize&(align-1) != 0 {
		return 0
	}
	return blockSize
}

// Flush reports false: there is nothing to give back, as all blocks have one size.
func (c *Core) Flush() bool { return false }

// Usage returns the counts, in constant time. The peak may include the blocks of a batch that failed.
func (c *Core) Usage() poolimpl.Usage {
	live := c.live()
	u := poolimpl.Usage{Live: live, LiveBytes: live * itemBytes, Occupied: live * blockSize}
	if feature.Counters {
		u.Allocs, u.PeakBytes = c.allocated, c.peak*itemBytes
	}
	if feature.Handles {
		u.Retired = c.retired
	}
	if c.hasFree() {
		u.LargestFree = itemBytes
	}
	return u
}

// live returns the number of live blocks in all chunks.
func (c *Core) live() uint64 {
	if !single || feature.Streams {
		return c.allocated - c.freed + c.others
	}
	if feature.Handles {
		return c.allocated - c.freed - c.retired
	}
	return c.allocated - c.freed
}

// liveIn returns the number of live blocks of a chunk. If [feature.Streams], pending ones count, too.
func (c *Core) liveIn(ch *chunk) uint64 {
	n := ch.live
	if ch == c.current {
		n += c.allocated - c.freed
	}
	return n
}

// count notes how many blocks of the current chunk are live, before another one becomes the current one.
//
//poolgen:if !single
func (c *Core) count() {
	n := c.allocated - c.freed
	c.current.live += n
	c.others += n
	c.freed = c.allocated
}

// hasFree reports whether the next Alloc succeeds.
func (c *Core) hasFree() bool {
	if paced {
		if c.withheldCount > 0 {
			return true
		}
	}
	if !single {
		if len(c.fresh) > 0 || c.firstPartial() != nil {
			return true
		}
	}
	return c.list.hasFreed() || c.state().hasFresh()
}
