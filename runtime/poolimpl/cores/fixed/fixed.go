// Package fixed hands out blocks of one size, in constant time, from chunks of any size.
//
// Free blocks form lists, linked by number through a side array with an entry per block. The entry of a live block has a special value instead, so the array also
// tells, exactly and at no extra cost, whether a live block starts at the address of a free. The memory of the blocks is not touched.
//
// Blocks that were never used are fresh. They are carved, which puts them on a list, in the order of their addresses, and only once all lists are empty. So a
// chunk costs nothing before it is used, however large it is, and only carving can raise the peak: until then, all blocks that were carved are live.
//
// Generated code has the fast path, with the sizes as constants: it takes blocks from the list at hand, and puts them there. It works on the exported fields.
// This package has the rest.
//
// Chunks usually lie in one range of addresses, so all blocks have numbers in one array, and the fast path serves blocks of any chunk: see turns.go. Where there is
// no range, each chunk has an array of its own, and the list at hand has blocks of one chunk, the current one: see [Core.Free].
package fixed

import (
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Params are the parameters of a Core. The configuration of the pool has them.
type Params struct {
	BlockSize uint64 // difference between the addresses of neighbouring blocks
	ItemBytes uint64 // size of a block in the statistics
	Ranged    bool   // chunks lie in a range of addresses where there is one; not with Trims or Streams
	Counters  bool   // the peak is counted
	Trims     bool   // a free that empties a chunk says so
	Streams   bool   // blocks can be pending
	Handles   bool   // each block has a generation; all chunks lie in one range, or there is one chunk, and there are no streams
}

// Core is the suballocator. Its zero value is empty; [Core.Set] makes it ready for Add. It is not safe for concurrent use.
type Core struct {
	List List   // blocks that are handed out next: the list at hand
	Slot uint32 // of the chunk or range from whose start their offsets count

	// The fast paths increment one counter each.
	Handed   uint64 // blocks handed out so far
	Returned uint64 // blocks freed so far

	Due  uint64   // the fast path frees no block while Returned has this value
	Base uint64   // address of the first block of Near
	Near []uint32 // by block: entries of those that the fast path frees

	Gens        []uint32               // with handles, by block: the number of its life, which a free ends
	Aged        atomic.Uint32          // number of these, for those who do not hold the lock
	Generations atomic.Pointer[uint32] // the first of these

	params  Params
	numbers poolimpl.Numbers // of blocks
	rest
}

// rest is what the fast path does not touch.
type rest struct {
	span    *span    // of the blocks at hand; nil if there is none
	current *chunk   // that all blocks at hand are of; nil in a range
	surplus uint64   // number of blocks at hand, plus Handed-Returned: the fast path changes both alike
	room    *span    // the range; nil if there is none
	inRange int      // number of its chunks
	perStep uint64   // blocks between places of the range
	placing uint64   // 1<<64 / perStep, rounded up
	chunks  []*chunk // by slot; nil where there is none
	places  []*chunk // in the order in which they are used; nil where there is none
	listed  marks    // places of the chunks whose lists have blocks
	fresh   marks    // places of the chunks with blocks to carve
	where   poolimpl.Directory
	peak    uint64 // largest number of live blocks
	again   bool   // it was reset, so blocks were carved that were not live at once since
	waiting uint64 // number of pending blocks
	retired uint64 // blocks that are not handed out again; Used counts them, so their chunk stays

	withheld      uint32 // first of the free blocks kept off the list at hand, see [Core.admit]
	withheldCount uint64 // number of these blocks
}

// Set implements [poolimpl.ParamCore].
func (c *Core) Set(params any) {
	c.params = *params.(*Params)
	c.numbers = poolimpl.NumbersOf(c.params.BlockSize)
}

// Features implements [poolimpl.FeaturedCore].
func (c *Core) Features() poolimpl.Features {
	return poolimpl.Features{Streams: c.params.Streams, Ranges: c.params.Ranged, Shares: true}
}

// Close drops the chunks and, with them, all handles.
func (c *Core) Close() {
	c.Aged.Store(0) // goroutines may still read a generation: those stay in memory
	c.List, c.Slot, c.Handed, c.Returned, c.Due, c.Base, c.Near = List{}, 0, 0, 0, 0, 0, nil
	c.rest = rest{}
}

// paced: the peak is counted, and blocks may be pending or the peak was reset. Otherwise only carving raises the peak, as all carved blocks are
// live then.
func (c *Core) paced() bool { return c.params.Counters && (c.params.Streams || c.again) }

// ResetPeak implements [poolimpl.PeakCore]. No block is left at hand: those of the list are put there again as admit and take count them.
func (c *Core) ResetPeak() {
	if !c.params.Counters {
		return
	}
	c.sortOut()
	c.peak, c.again = c.live(), true
	if c.span != nil && !c.span.ranged {
		for c.atHand() > 0 {
			c.withholdExcess()
		}
	}
}

// Alloc hands out a free block of any chunk. It takes constant time, except when the list of a chunk grows. All requests are for one item,
// which [Core.Need] has accepted.
func (c *Core) Alloc(_, _ uint64) (slot uint32, off uint64, ok bool) {
	if !c.List.hasFreed() && !c.Refill(1) {
		return 0, 0, false
	}
	l := &c.List
	h := l.Head
	l.Head, l.Next[h] = l.Next[h], Used
	c.Handed++
	if c.span.ranged {
		ch := c.chunkOf(h)
		return ch.slot, (uint64(h) - ch.first) * c.params.BlockSize, true
	}
	return c.Slot, uint64(h) * c.params.BlockSize, true
}

// Undo is Free for a block that no caller has received. The block counts neither as handed out nor as freed, but the peak may include it.
func (c *Core) Undo(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	if slot, v = c.Free(addr, bytes); v <= poolimpl.Emptied {
		c.Handed--
		c.Returned--
		c.Due--
	}
	return slot, v
}
