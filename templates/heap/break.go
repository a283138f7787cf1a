package heap

import (
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Break makes the live block at addr, which must be there, up to count blocks of stride bytes each, side by side from its start. Those that live
// says are live afterwards, as if each had been asked for with all its bytes; what lies between them and behind the last is free, and merges.
// It takes the time of as many frees.
func Break(c *Core, addr, stride, count uint64, live func(k uint64) bool) {
	i := *c.space.Find(addr)
	c.count.CountFree(c.space.Asked(i))
	for range c.space.Break(i, stride, count, live) {
		c.count.CountLive(stride)
	}
}

// Around returns how many bytes the live block at addr takes up, which must be there, and how many are free right before and right behind it.
func Around(c *Core, addr uint64) (before, room, behind uint64) { return c.space.Around(addr) }

// Break makes a node that is a live block up to count blocks of stride bytes each, a whole number of granules, and returns how many: those that live
// says are live afterwards. The rest is free.
func (s *Space) Break(i uint32, stride, count uint64, live func(k uint64) bool) (left int) {
	start, n := s.at(i).unit, stride/granule
	for k := range count {
		if !live(k) {
			continue
		}
		left++
		if front := start + k*n - s.at(i).unit; front > 0 {
			gap := i
			i = s.cut(gap, uint32(front))
			s.Free(s.Find(s.Address(gap)))
		}
		if uint64(s.at(i).size) == n {
			s.at(i).note = 0
			return left
		}
		i = s.cut(i, uint32(n))
	}
	s.Free(s.Find(s.Address(i)))
	return left
}

// cut makes a live block two, the first of n granules, and returns the second.
func (s *Space) cut(i, n uint32) (rest uint32) {
	rest = s.split(i, n)
	s.at(i).note, s.at(rest).note = 0, 0
	s.insertIndex(rest)
	return rest
}

// Around returns how many bytes the live block at addr takes up, and how many are free right before and right behind it.
func (s *Space) Around(addr uint64) (before, room, behind uint64) {
	d := s.at(*s.Find(addr))
	if p := s.at(d.prev); p.state() == poolrt.PieceFree {
		before = uint64(p.size) * granule
	}
	if q := s.at(d.next); q.state() == poolrt.PieceFree {
		behind = uint64(q.size) * granule
	}
	return before, uint64(d.size) * granule, behind
}
