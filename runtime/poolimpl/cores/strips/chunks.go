package strips

import "github.com/poolgen/poolgen/runtime/poolimpl"

// Add puts a chunk at the end of the row.
func (c *Core) Add(slot uint32, base, size uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.procStrips.Load() == nil {
		list := make([]procStrip, poolimpl.Processors(maxProcStrips))
		c.procStrips.Store(&list)
	}
	c.chunks.Add(slot, base, size)
}

// Remove removes an empty chunk from the row.
func (c *Core) Remove(slot uint32) { c.Evict(slot) }

// Evict removes a chunk that other goroutines may be using. If a block or a strip was cut from the chunk since the last reset, the chunk stays, and
// Evict reports false.
func (c *Core) Evict(slot uint32) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.chunks.Used(slot) > 0 {
		return false
	}
	c.chunks.Remove(slot)
	return true
}

// Used returns the bytes of a chunk that blocks and whole strips take up.
func (c *Core) Used(slot uint32) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.chunks.Used(slot)
}

// Need returns the size of a chunk for the request alone, which starts at a multiple of the granule, or 0 if the size overflows.
func (c *Core) Need(bytes, align uint64) uint64 { return c.chunks.Need(bytes, align) }

// Flush does nothing and reports false: a request that would fail searches all strips.
func (c *Core) Flush() bool { return false }

// Steal reports false: no chunk belongs to a processor.
func (c *Core) Steal() bool { return false }

// Shut removes all chunks, and reports true. Live blocks do not prevent that, as single blocks cannot be freed.
func (c *Core) Shut(bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.endStrips()
	c.chunks.Close()
	return true
}

// Usage counts the blocks. A part of a sealed strip that was lost counts as occupied. The counts are exact while no other goroutine allocates.
// Costs O(chunks + processors).
func (c *Core) Usage() poolimpl.Usage {
	c.mu.Lock()
	defer c.mu.Unlock()
	chunks := c.chunks.Usage()
	u := poolimpl.Usage{Live: c.live, LiveBytes: c.bytes, Occupied: chunks.Occupied, LargestFree: chunks.LargestFree}
	if list := c.procStrips.Load(); list != nil {
		for i := range *list {
			if s := (*list)[i].strip.Load(); s != nil {
				u = s.counted(u)
			}
		}
	}
	if c.params.Counters {
		u.Allocs, u.PeakBytes = c.freed+u.Live, max(c.peak, u.LiveBytes)
	}
	return u
}

// ResetPeak implements [poolimpl.PeakCore].
func (c *Core) ResetPeak() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.peak = 0 // bytes only grow between resets
}

// counted returns u with the blocks of a strip added, and with the unused part of the strip not occupied.
func (s *strip) counted(u poolimpl.Usage) poolimpl.Usage {
	w := s.word.Load()
	count, bytes := blocks(w)
	rest := s.size - w&usedMask
	u.Live += count
	u.LiveBytes += bytes
	u.Occupied -= rest
	u.LargestFree = max(u.LargestFree, rest)
	return u
}
