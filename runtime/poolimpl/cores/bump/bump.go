// Package bump allocates blocks one behind the other and frees them all at once.
//
// Chunks are in a row. Blocks are cut from the current one. The chunks before it are used up, and those behind it are empty. A request that does not fit
// in the current chunk moves on to the next empty chunk where it fits. So an allocation is an addition and a comparison. Single blocks are
// not freed: [Core.Reset] goes back to the start of the row, and Release to a mark.
package bump

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Core is the suballocator. The zero value has no chunks and is ready for Add. It is not safe for concurrent use.
type Core struct {
	// The current chunk. All fields are 0 when there is none, at the end of the row.
	slot  uint32
	base  uint64
	start uint64 // offset of its first granule
	end   uint64 // offset of the end of its last whole granule
	next  uint64 // offset of its first unused granule

	mask uint64 // the granule less one

	allocs uint64 // blocks allocated so far
	freed  uint64 // blocks freed so far
	bytes  uint64 // asked for by live blocks
	peak   uint64 // largest value of bytes before blocks were freed

	params Params
	chunks []chunk  // by slot
	row    []uint32 // slots in the order of use
	at     int      // index of the current chunk in row

	places []spot // of valid marks, ascending
	serial uint64 // of the newest spot
}

// chunk is a chunk of the row.
type chunk struct {
	base  uint64
	size  uint64
	used  uint64 // bytes from its first granule on that blocks take up; valid before the current chunk only
	place uint32 // index in [Core.row]
}

// AllocFast allocates the next bytes bytes of the current chunk, at a multiple of the granule. It fails for 0 bytes, and if the chunk has no room;
// [Core.Alloc] may then succeed. It is small enough to be inlined.
//
// It rounds the length, not the start: so the next call waits only for an addition and a store.
func (c *Core) AllocFast(bytes uint64) (slot uint32, off uint64, ok bool) {
	off = c.next
	if bytes-1 < c.end-off {
		c.next = off + (bytes - 1 | c.mask) + 1
		c.allocs++
		c.bytes += bytes
		return c.slot, off, true
	}
	return
}

// Alloc allocates the next bytes bytes, at least one, at a multiple of align and of the granule. Costs a few instructions in the current chunk, and
// otherwise O(1) for each empty chunk that it looks at.
func (c *Core) Alloc(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	off = c.next
	if align-1 > c.mask {
		off = (c.base+off+align-1)&^(align-1) - c.base // beyond the end also if the address wraps at 2^64
	}
	if off >= c.end || bytes-1 >= c.end-off {
		if !c.nextChunk(bytes, align) {
			return 0, 0, false
		}
		return c.Alloc(bytes, align)
	}
	c.next = off
	return c.AllocFast(bytes)
}

// Free refuses all blocks: single blocks cannot be freed.
func (c *Core) Free(_, _ uint64) (slot uint32, v poolimpl.Verdict) { return 0, poolimpl.Foreign }

// Undo does nothing: the block stays until all blocks are freed.
func (c *Core) Undo(_, _ uint64) (slot uint32, v poolimpl.Verdict) { return 0, poolimpl.Freed }

// nextChunk makes the first empty chunk where the request fits the current one, and reports whether there is any. It swaps that chunk with the first
// empty one, so the empty chunks that are too small stay behind the current one.
func (c *Core) nextChunk(bytes, align uint64) bool {
	mask := max(align-1, c.mask)
	first := c.at
	if c.taken() > 0 {
		first++
	}
	for i := first; i < len(c.row); i++ {
		ch := &c.chunks[c.row[i]]
		if skip, end := -ch.base&mask, c.endOf(ch); skip >= end || bytes-1 >= end-skip {
			continue
		}
		if first > c.at {
			c.chunks[c.slot].used = c.taken()
		}
		c.swap(i, first)
		c.makeCurrent(first)
		return true
	}
	return false
}

// makeCurrent makes the chunk at index i of the row the current one, without blocks.
func (c *Core) makeCurrent(i int) {
	c.at, c.slot, c.base, c.start, c.end = i, 0, 0, 0, 0
	if i < len(c.row) {
		c.slot = c.row[i]
		ch := &c.chunks[c.slot]
		c.base, c.start, c.end = ch.base, c.startOf(ch), c.endOf(ch)
	}
	c.next = c.start
}

// taken returns the bytes of the current chunk that blocks take up.
func (c *Core) taken() uint64 { return c.next - c.start }

// swap swaps two chunks of the row.
func (c *Core) swap(i, j int) {
	a, b := c.row[i], c.row[j]
	c.row[i], c.row[j] = b, a
	c.chunks[a].place, c.chunks[b].place = uint32(j), uint32(i)
}

// Reset frees all blocks and keeps the chunks. All marks become invalid. Costs O(1).
func (c *Core) Reset() {
	c.rewind(c.allocs, 0)
	c.places = c.places[:0]
	c.makeCurrent(0)
}

// rewind sets the counts back. It updates the peak first: bytes only grow between rewinds, so no other place has to.
func (c *Core) rewind(freed, bytes uint64) {
	c.peak = max(c.peak, c.bytes)
	c.freed, c.bytes = freed, bytes
}

// ResetPeak implements [poolimpl.PeakCore].
func (c *Core) ResetPeak() { c.peak = 0 }

// live returns the number of live blocks.
func (c *Core) live() uint64 { return c.allocs - c.freed }
