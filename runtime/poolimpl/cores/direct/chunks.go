package direct

import "github.com/poolgen/poolgen/runtime/poolimpl"

// Add makes a chunk available for one block.
func (c *Core) Add(slot uint32, base, size uint64) {
	if n := int(slot) + 1; n > len(c.chunks) {
		c.chunks = append(c.chunks, make([]chunk, n-len(c.chunks))...)
	}
	c.chunks[slot] = chunk{base: base, size: size}
	c.table.insert(c.chunks, slot)
	c.addUnused(slot)
}

// Remove removes an unused chunk.
func (c *Core) Remove(slot uint32) {
	c.removeUnused(c.chunks[slot].place)
	c.table.remove(c.chunks, slot)
	c.chunks[slot] = chunk{}
}

// Used returns the size of the chunk if it is a live or pending block, and 0 otherwise.
func (c *Core) Used(slot uint32) uint64 {
	ch := &c.chunks[slot]
	if i := int(ch.place); i < len(c.unused) && c.unused[i] == slot {
		return 0
	}
	return ch.size
}

// Need returns the size of a chunk for the request alone.
func (c *Core) Need(bytes, _ uint64) uint64 { return bytes }

// Flush does nothing and reports false: no block is cached.
func (c *Core) Flush() bool { return false }

// ResetPeak implements [poolimpl.PeakCore].
func (c *Core) ResetPeak() { c.count.ResetPeak() }

// Usage counts the blocks. Costs O(chunks).
func (c *Core) Usage() poolimpl.Usage {
	u := c.count.Usage()
	if !c.params.Counters { // to count costs no more than to ask
		u.Allocs, u.PeakBytes = 0, 0
	}
	for slot := range c.chunks {
		if ch := &c.chunks[slot]; ch.bytes != 0 {
			u.Occupied += ch.size
		}
	}
	for _, slot := range c.unused {
		u.LargestFree = max(u.LargestFree, c.chunks[slot].size)
	}
	return u
}
