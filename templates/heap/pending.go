package heap

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
	"github.com/poolgen/poolgen/templates/tally"
)

const _ = feature.Streams // the condition of what stands here

// statePending, a state of a node: a block that its user gave back while a stream may still be working with it. In all but its state it
// is as when it was live.
const statePending = stateLive | stateHeld

// Defer makes a live block a pending one. Used goes on counting it.
//
//poolgen:if feature.Streams
func Defer(s *Space, i uint32) {
	d := s.at(i)
	d.place |= statePending
	s.pending += uint64(d.size)
}

// Reuse makes a pending block live again.
//
//poolgen:if feature.Streams
func Reuse(s *Space, i uint32) {
	d := s.at(i)
	d.place -= statePending - stateLive
	s.pending -= uint64(d.size)
}

// Defer makes a live block a pending one. It counts as given back, but takes up its place; a free of it is refused. Constant time.
//
//poolgen:if feature.Streams
func (c *Core) Defer(addr, bytes uint64) poolimpl.Verdict {
	link := c.space.Find(addr)
	switch {
	case link == nil:
		return c.space.Classify(addr)
	case !Live(&c.space, *link):
		return poolimpl.Double
	case c.space.Asked(*link) != bytes:
		return poolimpl.Foreign
	}
	Defer(&c.space, *link)
	c.count.CountFree(bytes)
	return poolimpl.Freed
}

// Reuse makes a pending block live again: it was handed out once more.
//
//poolgen:if feature.Streams
func (c *Core) Reuse(addr, bytes uint64) (slot uint32, off uint64) {
	i := *c.space.Find(addr)
	Reuse(&c.space, i)
	c.count.CountAlloc(bytes)
	return c.space.Place(i)
}

// Reclaim frees a pending block. It was counted when it was deferred.
//
//poolgen:if feature.Streams
func (c *Core) Reclaim(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	Reuse(&c.space, *c.space.Find(addr))
	tally.CountLive(&c.count, bytes)
	return c.Free(addr, bytes)
}
