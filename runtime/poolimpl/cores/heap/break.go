package heap

// Break splits the live block at addr, which must be there, into up to count blocks of stride bytes, side by side from its start. Block k
// stays live if live(k) is true, as if it had been asked for with stride bytes. The rest becomes free and merges. Break costs as much as
// count frees.
func (c *Core) Break(addr, stride, count uint64, live func(k uint64) bool) {
	i := *c.Find(addr)
	c.CountFree(c.Asked(i))
	for range c.Space.Break(i, stride, count, live) {
		c.CountLive(stride)
	}
}

// Break splits live block i into up to count blocks of stride bytes, a whole number of granules. Block k stays live if live(k) is true; the
// rest becomes free. Break returns the number of live blocks.
func (s *Space) Break(i uint32, stride, count uint64, live func(k uint64) bool) (left int) {
	start, n := s.at(i).unit, stride>>(s.shift&63)
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

// cut splits live block i after n granules, and returns the second block.
func (s *Space) cut(i, n uint32) (rest uint32) {
	rest = s.split(i, n)
	s.at(i).note, s.at(rest).note = 0, 0
	s.insertIndex(rest)
	return rest
}

// Around returns the size of the live block at addr, which must be there, and how many bytes are free right before and right behind it.
func (s *Space) Around(addr uint64) (before, room, behind uint64) {
	d := s.at(*s.Find(addr))
	if s.ranges.has(d.prev) {
		before = s.Room(d.prev)
	}
	if s.ranges.has(d.next) {
		behind = s.Room(d.next)
	}
	return before, uint64(d.size) << (s.shift & 63), behind
}
