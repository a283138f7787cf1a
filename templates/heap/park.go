package heap

import (
	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/templates/feature"
	"github.com/poolgen/poolgen/templates/tally"
)

// stateParked, a state of a node: a block that its user gave back while a stream may still be working with it. In all but its state it
// is as when it was live.
const stateParked = stateLive | stateHeld

// Suspend makes a live block a parked one. Used goes on counting it.
//
//poolgen:if feature.Streams
func Suspend(s *Space, i uint32) {
	d := s.at(i)
	d.place |= stateParked
	s.parked += uint64(d.size)
}

// Revive makes a parked block live again.
//
//poolgen:if feature.Streams
func Revive(s *Space, i uint32) {
	d := s.at(i)
	d.place -= stateParked - stateLive
	s.parked -= uint64(d.size)
}

// Park makes a live block a parked one. It counts as given back, but takes up its place; a free of it is refused. Constant time.
//
//poolgen:if feature.Streams
func (c *Core) Park(addr, bytes uint64) runtime.Verdict {
	link := c.space.Find(addr)
	switch {
	case link == nil:
		return c.space.Judge(addr)
	case !Live(&c.space, *link):
		return runtime.Double
	case c.space.Asked(*link) != bytes:
		return runtime.Foreign
	}
	Suspend(&c.space, *link)
	c.count.Give(bytes)
	return runtime.Freed
}

// Unpark makes a parked block live again: it was handed out once more.
//
//poolgen:if feature.Streams
func (c *Core) Unpark(addr, bytes uint64) (slot uint32, off uint64) {
	i := *c.space.Find(addr)
	Revive(&c.space, i)
	c.count.Take(bytes)
	return c.space.Place(i)
}

// Retire frees a parked block. It was counted when it was parked.
//
//poolgen:if feature.Streams
func (c *Core) Retire(addr, bytes uint64) (slot uint32, v runtime.Verdict) {
	Revive(&c.space, *c.space.Find(addr))
	tally.Again(&c.count, bytes)
	return c.Free(addr, bytes)
}

// Undo takes back a block as if it had never been handed out. The peak alone remembers it.
//
//poolgen:if feature.Streams
func (c *Core) Undo(addr, bytes uint64) (slot uint32, v runtime.Verdict) {
	slot, v = c.Free(addr, bytes)
	if feature.Counters {
		if v == runtime.Freed || v == runtime.Emptied {
			c.count.Forget()
		}
	}
	return slot, v
}
