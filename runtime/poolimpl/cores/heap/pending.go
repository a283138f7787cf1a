package heap

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Defer makes a live block pending. Used still counts it.
func (s *Space) Defer(i uint32) {
	d := s.at(i)
	d.setState(poolrt.PiecePending)
	s.pending += uint64(d.size)
}

// Reuse makes a pending block live again, for a request of so many bytes, which the block must have room for.
func (s *Space) Reuse(i uint32, bytes uint64) {
	d := s.at(i)
	d.setState(poolrt.PieceLive)
	d.note = uint32(uint64(d.size)<<(s.shift&63) - bytes)
	s.pending -= uint64(d.size)
}

// Defer makes a live block pending. The block counts as freed, but keeps its place; a second free is refused. Costs O(1).
func (c *Core) Defer(addr, bytes uint64) poolimpl.Verdict {
	link := c.space.Find(addr)
	switch {
	case link == nil:
		return c.space.Classify(addr)
	case !c.space.Live(*link):
		return poolimpl.Double
	case c.space.Asked(*link) != bytes:
		return poolimpl.Foreign
	}
	c.space.Defer(*link)
	c.count.CountFree(bytes)
	return poolimpl.Freed
}

// DeferRounded is Defer, and returns bytes: requests are not rounded up to a few lengths.
func (c *Core) DeferRounded(addr, bytes uint64) (rounded uint64, v poolimpl.Verdict) {
	return bytes, c.Defer(addr, bytes)
}

// Rounded returns bytes.
func (c *Core) Rounded(bytes uint64) uint64 { return bytes }

// AllocOn is AllocFast for a stream.
func (c *Core) AllocOn(_, bytes uint64) (slot uint32, off uint64, ok bool) { return c.AllocFast(bytes) }

// Reuse makes a pending block live again. The block counts as handed out once more.
func (c *Core) Reuse(addr, bytes uint64) (slot uint32, off uint64) {
	i := *c.space.Find(addr)
	c.space.Reuse(i, bytes)
	if c.space.params.Counters {
		c.count.CountAlloc(bytes)
	} else {
		c.count.CountLive(bytes)
	}
	return c.space.Place(i)
}

// Reclaim frees a pending block, which was counted as freed when it was deferred.
func (c *Core) Reclaim(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	c.space.Reuse(*c.space.Find(addr), bytes)
	c.count.CountLive(bytes)
	return c.Free(addr, bytes)
}
