package bump

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Add puts a chunk at the end of the row.
func (c *Core) Add(slot uint32, base, size uint64) {
	if n := int(slot) + 1; n > len(c.chunks) {
		c.chunks = append(c.chunks, make([]chunk, n-len(c.chunks))...)
	}
	c.chunks[slot] = chunk{base: base, size: size, place: uint32(len(c.row))}
	c.row = append(c.row, slot)
	if c.at == len(c.row)-1 {
		c.makeCurrent(c.at)
	}
}

// Remove removes an empty chunk from the row. The last chunk of the row takes its place. Marks stay valid: all blocks
// before a mark are in chunks before the empty ones.
func (c *Core) Remove(slot uint32) {
	i, last := int(c.chunks[slot].place), len(c.row)-1
	c.swap(i, last)
	c.row = c.row[:last]
	c.chunks[slot] = chunk{}
	if i == c.at {
		c.makeCurrent(i)
	}
}

// Used returns the bytes of a chunk that blocks take up, with what rounding and alignment add.
func (c *Core) Used(slot uint32) uint64 {
	ch := &c.chunks[slot]
	switch i := int(ch.place); {
	case i < c.at:
		return ch.used
	case i == c.at:
		return c.taken()
	}
	return 0
}

// Need returns the size of a chunk for the request alone, which starts at a multiple of the granule, or 0 if the size overflows.
func (c *Core) Need(bytes, _ uint64) uint64 { return (bytes + c.mask) &^ c.mask }

// startOf returns the offset of the first granule of a chunk.
func (c *Core) startOf(ch *chunk) uint64 { return min(-ch.base&c.mask, ch.size) }

// endOf returns the offset of the end of the last whole granule of a chunk.
func (c *Core) endOf(ch *chunk) uint64 { return c.startOf(ch) + (ch.size-c.startOf(ch))&^c.mask }

// Flush does nothing and reports false: no block is cached.
func (c *Core) Flush() bool { return false }

// Usage counts the blocks. Costs O(chunks).
func (c *Core) Usage() poolimpl.Usage {
	u := poolimpl.Usage{Live: c.live(), LiveBytes: c.bytes}
	if c.params.Counters {
		u.Allocs, u.PeakBytes = c.allocs, max(c.peak, u.LiveBytes)
	}
	for i, slot := range c.row {
		ch, used := &c.chunks[slot], c.Used(slot)
		u.Occupied += used
		if i < c.at {
			continue
		}
		u.LargestFree = max(u.LargestFree, c.endOf(ch)-c.startOf(ch)-used)
	}
	return u
}

// Rest returns how many bytes the current chunk has left, a multiple of the granule.
func (c *Core) Rest() uint64 { return c.end - c.next }

// Base returns the address of a chunk.
func (c *Core) Base(slot uint32) uint64 { return c.chunks[slot].base }

// Shorten frees the end of a block, from one offset up to another, if the block is the last one of the current chunk. Otherwise it does nothing: the
// bytes stay in use until the next reset.
func (c *Core) Shorten(slot uint32, from, to uint64) {
	if slot == c.slot && to == c.next {
		c.next = from
	}
}
