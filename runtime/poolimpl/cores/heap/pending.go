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
	link := c.Space.Find(addr)
	switch {
	case link == nil:
		return c.Space.Classify(addr)
	case !c.Space.Live(*link):
		return poolimpl.Double
	case c.Space.Asked(*link) != bytes:
		return poolimpl.Foreign
	}
	c.Space.Defer(*link)
	c.CountFree(bytes)
	return poolimpl.Freed
}

// Reuse makes a pending block live again. The block counts as handed out once more.
func (c *Core) Reuse(addr, bytes uint64) (slot uint32, off uint64) {
	i := *c.Space.Find(addr)
	c.Space.Reuse(i, bytes)
	c.CountAlloc(bytes)
	return c.Space.Place(i)
}

// Reclaim frees a pending block, which was counted as freed when it was deferred.
func (c *Core) Reclaim(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	c.Space.Reuse(*c.Space.Find(addr), bytes)
	c.CountLive(bytes)
	return c.Free(addr, bytes)
}
