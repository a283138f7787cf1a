package shards

import "github.com/poolgen/poolgen/runtime/poolimpl"

// Usage adds up the counts of the shards. Shards are read one after the other, so the sums are exact while no other goroutine allocates or frees. The peak
// is the sum of the shards' peaks, which is at least the peak of the sum.
func (c *Core) Usage() poolimpl.Usage {
	u := c.before()
	c.each(func(s *shard) { u = addUsage(u, s.core.Usage()) })
	return u
}

// ResetPeak implements [poolimpl.PeakCore].
func (c *Core) ResetPeak() {
	c.each(func(s *shard) {
		if p, ok := s.core.(poolimpl.PeakCore); ok {
			p.ResetPeak()
		}
	})
}

// before returns the counts of the shards before Shut.
func (c *Core) before() (u poolimpl.Usage) {
	if of := c.retired.Load(); of != nil {
		u = *of
	}
	return u
}

// addUsage returns the sum of two counts.
func addUsage(u, v poolimpl.Usage) poolimpl.Usage {
	return poolimpl.Usage{
		Live:        u.Live + v.Live,
		LiveBytes:   u.LiveBytes + v.LiveBytes,
		PeakBytes:   u.PeakBytes + v.PeakBytes,
		Occupied:    u.Occupied + v.Occupied,
		Allocs:      u.Allocs + v.Allocs,
		LargestFree: max(u.LargestFree, v.LargestFree),
		Cached:      u.Cached + v.Cached,
	}
}

// Shut removes all chunks, and reports true. If blocks are live and force is not set, it changes nothing and reports false.
func (c *Core) Shut(force bool) bool {
	var u poolimpl.Usage
	all := c.all()
	for i := range all {
		all[i].mu.Lock()
		u = addUsage(u, all[i].core.Usage())
	}
	ended := force || u.Live == 0
	for i := range all {
		if ended {
			all[i].behind(c.empty())
			all[i].freed = nil
			all[i].anyFreed.Store(false)
		}
		all[i].mu.Unlock()
	}
	if ended {
		u.LargestFree, u.Cached = 0, 0 // no chunks are left
		u = addUsage(c.before(), u)
		c.retired.Store(&u)
		for slot := range c.chunks.All() {
			c.chunks.Remove(slot)
		}
	}
	return ended
}
