package strict

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// Used returns the bytes that the blocks of a chunk take up which are live or pending. Costs O(words of the chunk).
func (c *Core) Used(slot uint32) uint64 {
	var s counts
	c.chunks.At(slot).addCounts(&s)
	return s.taken * blockSize
}

// Need returns the size of a chunk with one block, or 0 if blocks are too small or not aligned enough.
func (c *Core) Need(bytes, align uint64) uint64 {
	if bytes > blockSize || blockSize&(align-1) != 0 {
		return 0
	}
	return blockSize
}

// Flush does nothing and reports false.
func (c *Core) Flush() bool { return false }

// Steal reports false: all processors use all chunks.
func (c *Core) Steal() bool { return false }

// Usage counts live blocks and allocations. Costs O(words of all chunks). If [countsStay], it costs nothing while no
// block is free and none was freed since the last call. The counts of a word are read in one step, but words one after the other:
// sums are exact while no other goroutine allocates or frees. If [feature.Counters], the peak is the largest number of live blocks seen by Usage, or
// when no block was free, as before the pool grows: the real peak may have been higher.
func (c *Core) Usage() poolimpl.Usage {
	u := c.retired
	if feature.Magazines {
		c.recalls.Lock() // a recall moves blocks and counts
		defer c.recalls.Unlock()
	}
	s := c.counts()
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
	if s.taken < c.count.Load() {
		u.LargestFree = itemBytes
	}
	return u
}

// fewBlocks is the number of blocks that notePeak may count for each call. That takes about a microsecond.
//
//poolgen:if feature.Counters && feature.Streams
const fewBlocks = 1 << 14

// notePeak raises the peak when a scan has found all blocks taken. If [feature.Streams], some of them may be pending, and notePeak counts the others; in a pool
// of more than fewBlocks, only in some calls. If [feature.Magazines], it does nothing while blocks may lie in magazines; none does
// before a growth. The caller holds c.flagging.
//
//poolgen:if feature.Counters
func (c *Core) notePeak() {
	count := c.scanned
	if feature.Magazines {
		if c.scannedIn&drained == 0 || c.turn.Load() != c.scannedIn {
			return
		}
	}
	if feature.Streams {
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

// countsStay: the counts do not change while the gate is closed. Otherwise blocks become pending meanwhile, or leave a magazine.
const countsStay = !feature.Streams && !feature.Magazines

// fullCounts are the counts while the gate is closed. No block is free then. Each free opens the gate, and so does a new chunk or one that is removed:
// a gate that is closed later has another state.
//
//poolgen:if countsStay
type fullCounts struct {
	state uint64 // of the gate
	sum   counts
}

// counts adds up the words of all chunks. If [countsStay], it does so only if they may have changed.
func (c *Core) counts() counts {
	if countsStay {
		if state, is := c.gate.Closed(); is {
			if c.atLimit.state != state {
				c.atLimit = fullCounts{state, c.addUp()}
			}
			return c.atLimit.sum
		}
	}
	return c.addUp()
}
