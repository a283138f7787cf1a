package heap

// BlockAt returns the live block that starts at addr, and the bytes that the block was asked for with. Costs O(1).
func (c *Core) BlockAt(addr uint64) (slot uint32, off, bytes uint64, ok bool) {
	link := c.Space.Find(addr)
	if link == nil || !c.Space.Live(*link) {
		return 0, 0, 0, false
	}
	slot, off = c.Space.Place(*link)
	return slot, off, c.Space.Asked(*link), true
}

// Resize makes the block at addr, of bytes bytes, one of n bytes. It reports false, and changes nothing, if there is no such block, or if less
// than n bytes are free behind its start. With good fit the cost is constant.
func (c *Core) Resize(addr, bytes, n uint64) bool {
	link := c.Space.Find(addr)
	if link == nil || !c.Space.Live(*link) || c.Space.Asked(*link) != bytes || !c.Space.Resize(*link, n) {
		return false
	}
	c.CountResize(bytes, n)
	return true
}

// Resize makes live block i one for a request of bytes bytes: it takes from the free range behind the block, or gives to it. It reports false, and
// changes nothing, if there is no room.
func (s *Space) Resize(i uint32, bytes uint64) bool {
	if bytes-1 >= s.maxBytes {
		return false
	}
	n := uint32((bytes-1)>>(s.shift&63) + 1)
	d := s.at(i)
	if n > d.size {
		q := d.next
		if !s.ranges.has(q) || s.at(q).size < n-d.size {
			return false
		}
		s.unlink(q)
		s.chunk(d).used += s.at(q).size
		s.mergeNext(i, q)
	}
	if d.size-n >= s.leastRest || s.ranges.has(d.next) && d.size > n {
		s.Free(s.Find(s.Address(s.cut(i, n))))
	}
	s.SetAsked(i, bytes)
	return true
}

// SetAsked makes a live block one of a request for so many bytes, which the block must have room for.
func (s *Space) SetAsked(i uint32, bytes uint64) { s.at(i).note = uint32(s.Room(i) - bytes) }
