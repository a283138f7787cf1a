package strips

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/bump"
	"github.com/poolgen/poolgen/templates/feature"
)

// Add puts a chunk at the end of the row.
func (c *Core) Add(slot uint32, base, size uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.procStrips.Load() == nil {
		list := make([]procStrip, processors())
		c.procStrips.Store(&list)
	}
	c.chunks.Add(slot, base, size)
}

// Remove takes an empty chunk out of the row.
func (c *Core) Remove(slot uint32) { c.Evict(slot) }

// Evict is Remove for a chunk that may be in use: if a block of it was handed out since the last reset, the chunk stays, and Evict reports false.
func (c *Core) Evict(slot uint32) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.chunks.Used(slot) > 0 {
		return false
	}
	c.chunks.Remove(slot)
	return true
}

// Used returns the bytes cut from a chunk since the last reset, strips as a whole.
func (c *Core) Used(slot uint32) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.chunks.Used(slot)
}

// Need returns the size of a chunk for the request alone, which starts at a multiple of the granule; 0 if that overflows.
func (c *Core) Need(bytes, align uint64) uint64 { return c.chunks.Need(bytes, align) }

// Flush does nothing: a request that would fail searches all strips.
func (c *Core) Flush() bool { return false }

// Steal reports false: no chunk belongs to a processor.
func (c *Core) Steal() bool { return false }

// Shut removes all chunks, and reports true: blocks are not freed one by one, so live ones do not matter.
func (c *Core) Shut(bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.endStrips()
	c.chunks = bump.Core{}
	return true
}

// Usage counts the blocks since the last reset. The rest of a sealed strip counts as occupied. The counts are exact while no other goroutine allocates.
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
	if feature.Counters {
		u.Allocs, u.PeakBytes = c.freed+u.Live, max(c.peak, u.LiveBytes)
	}
	return u
}

// counted adds the blocks of a strip in use.
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
