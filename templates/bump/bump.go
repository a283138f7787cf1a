// Package bump hands out blocks one behind the other and takes them back all at once.
//
// Chunks stand in a row. The one that blocks are cut from is the current one; those before it are used up as far
// as blocks go, those behind it are empty. A request that the current chunk has no room for moves on to
// the next empty chunk that can take it, so an allocation is an addition and a comparison. There is no
// free: [Core.Reset] goes back to the start of the row, and where marks are kept, Release to a place marked before.
package bump

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// Core is the suballocator. Its zero value is empty and ready for Add. It is not safe for concurrent use.
type Core struct {
	// The current chunk. Behind the last of the row there is none, and all is 0.
	slot  uint32
	base  uint64
	start uint64 // offset of its first granule
	end   uint64 // offset behind its last whole granule
	next  uint64 // offset of the first granule not taken

	allocs uint64 // blocks handed out so far
	freed  uint64 // those of them that were reset or released
	bytes  uint64 // asked for by the others
	//poolgen:if feature.Counters
	peak uint64 // largest number of bytes that a reset or release has seen

	chunks []chunk  // by slot
	row    []uint32 // slots in the order of use
	at     int      // index of the current chunk in row

	//poolgen:if marks
	places []spot // that Release may go back to, ascending
	//poolgen:if marks
	serial uint64 // of the mark made last
}

// chunk is what is known of each chunk.
type chunk struct {
	base  uint64
	size  uint64
	used  uint64 // bytes taken from its start; out of date from the current chunk on
	place uint32 // index in [Core.row]
}

// AllocFast hands out the next bytes bytes of the current chunk, at a multiple of the granule. It fails when they are not there, or are none;
// [Core.Alloc] may still find them elsewhere. Small enough to be inlined.
//
// What the next call waits for is an addition and a store: to round the length, not the start, adds nothing to that.
func (c *Core) AllocFast(bytes uint64) (slot uint32, off uint64, ok bool) {
	off = c.next
	if bytes-1 < c.end-off {
		c.next = off + (bytes+granule-1)&^(granule-1)
		c.allocs++
		c.bytes += bytes
		return c.slot, off, true
	}
	return
}

// Alloc hands out the next bytes bytes, one at least, at a multiple of align and of the granule. Costs a few instructions; moving on to another
// chunk O(1), and as much again for each empty chunk that is too small for the request.
func (c *Core) Alloc(bytes, align uint64) (slot uint32, off uint64, ok bool) {
	off = c.next
	if align > granule {
		off = (c.base+off+align-1)&^(align-1) - c.base // beyond the end also when the address goes round 2^64
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

// Free refuses each block: there is no free for one.
func (c *Core) Free(_, _ uint64) (slot uint32, v poolimpl.Verdict) { return 0, poolimpl.Foreign }

// Undo does nothing: the block stays until all are freed.
func (c *Core) Undo(_, _ uint64) (slot uint32, v poolimpl.Verdict) { return 0, poolimpl.Freed }

// nextChunk makes the first empty chunk that can take the request the current one. Chunks that are passed over
// stay empty: the one that was found changes places with the first of them.
func (c *Core) nextChunk(bytes, align uint64) bool {
	mask := max(align, granule) - 1
	first := c.at
	if c.taken() > 0 {
		first++
	}
	for i := first; i < len(c.row); i++ {
		ch := &c.chunks[c.row[i]]
		if skip, end := -ch.base&mask, ch.end(); skip >= end || bytes-1 >= end-skip {
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

// makeCurrent makes the chunk at index i of the row the current one, with nothing taken.
func (c *Core) makeCurrent(i int) {
	c.at, c.slot, c.base, c.start, c.end = i, 0, 0, 0, 0
	if i < len(c.row) {
		c.slot = c.row[i]
		ch := &c.chunks[c.slot]
		c.base, c.start, c.end = ch.base, ch.start(), ch.end()
	}
	c.next = c.start
}

// taken returns the bytes of the current chunk that blocks take up.
func (c *Core) taken() uint64 { return c.next - c.start }

// swap makes two chunks change places in the row.
func (c *Core) swap(i, j int) {
	a, b := c.row[i], c.row[j]
	c.row[i], c.row[j] = b, a
	c.chunks[a].place, c.chunks[b].place = uint32(j), uint32(i)
}

// Reset takes all blocks back and keeps the chunks. All marks become invalid. Costs O(1).
func (c *Core) Reset() {
	c.rewind(c.allocs, 0)
	if marks {
		c.places = c.places[:0]
	}
	c.makeCurrent(0)
}

// rewind sets the counts to those at an earlier time. The bytes in use can only have peaked before one, or now.
func (c *Core) rewind(freed, bytes uint64) {
	if feature.Counters {
		c.peak = max(c.peak, c.bytes)
	}
	c.freed, c.bytes = freed, bytes
}

// live counts the blocks in use.
func (c *Core) live() uint64 { return c.allocs - c.freed }
