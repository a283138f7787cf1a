package strict

import "github.com/poolgen/poolgen/runtime/poolimpl"

// Used returns the bytes that the blocks of a chunk take up which are live or pending. Costs O(words of the chunk).
func (c *Core) Used(slot uint32) uint64 {
	var s counts
	c.addChunk(&s, c.Chunks.At(slot))
	return s.taken * c.params.BlockSize
}

// Need returns the size of a chunk with one block, or 0 if blocks are too small or not aligned enough.
func (c *Core) Need(bytes, align uint64) uint64 {
	if bytes > c.params.BlockSize || c.params.BlockSize&(align-1) != 0 {
		return 0
	}
	return c.params.BlockSize
}

// Flush does nothing and reports false.
func (c *Core) Flush() bool { return false }

// Steal reports false: all processors use all chunks.
func (c *Core) Steal() bool { return false }

// Usage counts live blocks and allocations. Costs O(words of all chunks). If [Core.countsStay], it costs nothing while no
// block is free and none was freed since the last call. The counts of a word are read in one step, but words one after the other:
// sums are exact while no other goroutine allocates or frees. With [Params.Counters], the peak is the largest number of live blocks seen by Usage, or
// when no block was free, as before the pool grows: the real peak may have been higher.
func (c *Core) Usage() poolimpl.Usage {
	u := c.retired
	c.recalls.Lock() // a recall moves blocks and counts
	defer c.recalls.Unlock()
	s := c.counts()
	u.Live += s.live()
	u.LiveBytes += s.live() * c.params.ItemBytes
	u.Occupied += s.live() * c.params.BlockSize
	u.Cached = s.inMagazine * c.params.BlockSize
	if c.params.Counters {
		u.Allocs += s.allocs - c.undone.Load()
		c.raisePeak(u.Live)
		u.PeakBytes = c.peak.Load() * c.params.ItemBytes
	} else {
		u.Allocs = 0 // words count for magazines
	}
	if s.taken < c.count.Load() {
		u.LargestFree = c.params.ItemBytes
	}
	return u
}

// ResetPeak implements [poolimpl.PeakCore]. Usage finds what is live.
func (c *Core) ResetPeak() { c.peak.Store(0) }

// fewBlocks is the number of blocks that notePeak may count for each call. That takes about a microsecond.
const fewBlocks = 1 << 14

// notePeak raises the peak when a scan has found all blocks taken. With [Params.Streams], some of them may be pending, and notePeak counts the others; in a pool
// of more than fewBlocks, only in some calls. It does nothing while blocks may lie in magazines, or words have
// owners; none does so before a growth. The caller holds c.flagging.
func (c *Core) notePeak() {
	count := c.scanned
	if c.scannedIn&drained == 0 || c.Turn.Load() != c.scannedIn {
		return
	}
	if c.params.Streams {
		if c.closings++; c.closings*fewBlocks < count {
			return
		}
		c.closings = 0
		s := c.addUp()
		count = s.live()
	}
	c.raisePeak(count)
}

// raisePeak raises the peak to a number of live blocks.
func (c *Core) raisePeak(live uint64) {
	for {
		peak := c.peak.Load()
		if live <= peak || c.peak.CompareAndSwap(peak, live) {
			return
		}
	}
}
