package strict

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// Used returns the bytes that the live blocks of a chunk take up. Costs a look at each of its words.
func (c *Core) Used(slot uint32) uint64 {
	var s counts
	c.table.Load().slots[slot].addCounts(&s)
	return s.taken * blockSize
}

// Need returns the size of a chunk with one block, or 0 when no block is large or aligned enough.
func (c *Core) Need(bytes, align uint64) uint64 {
	if bytes > blockSize || blockSize&(align-1) != 0 {
		return 0
	}
	return blockSize
}

// Flush does nothing: all blocks are of one size.
func (c *Core) Flush() bool { return false }

// Steal reports false: every chunk is there for every processor.
func (c *Core) Steal() bool { return false }

// Usage counts what is handed out, with a look at each word. Live blocks and allocations of a word belong together; words are looked at one after the
// other, so that the sums are exact while no other goroutine allocates or frees. The peak is the largest number of live blocks that was
// seen: here, and whenever no block was free, as before the pool grows. It may have been higher for a time in between.
func (c *Core) Usage() poolimpl.Usage {
	u := c.retired
	t := c.table.Load()
	if t == nil {
		t = new(table)
	}
	if feature.Magazines {
		c.recalls.Lock() // what a recall gives back is either here or there
		defer c.recalls.Unlock()
	}
	s := t.counts()
	u.Live += s.live()
	u.LiveBytes += s.live() * itemBytes
	u.Occupied += s.live() * blockSize
	if feature.Magazines {
		u.Cached = s.inMagazine * blockSize
	}
	if feature.Counters {
		u.Allocs += s.allocs - c.undone.Load()
		c.raisePeak(u.Live)
		u.PeakBytes = c.peak.Load() * itemBytes
	}
	if s.taken < t.count {
		u.LargestFree = itemBytes
	}
	return u
}

// raisePeak raises the peak to a number of live blocks that was seen.
//
//poolgen:if feature.Counters
func (c *Core) raisePeak(live uint64) {
	for {
		peak := c.peak.Load()
		if live <= peak || c.peak.CompareAndSwap(peak, live) {
			return
		}
	}
}
