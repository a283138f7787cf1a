package hazard

// block is memory that a pool has handed out, or that was freed to it.
type block struct {
	from, to uint64
	out      bool
	given    Point
	back     Point // if not out
}

func (b block) overlaps(p Place) bool { return b.from < p.Offset+p.Bytes && p.Offset < b.to }

// HandOut notes that a pool hands out memory to the stream, or the host, of the moment, and reports what that is not ordered after: uses, and the point
// where the memory was taken back. Memory that is still handed out is reported as well.
func (c *Checker) HandOut(p Place, m Moment) {
	if !c.On || p.Bytes == 0 {
		return
	}
	h := c.at(p)
	kept := []block{}
	for _, b := range h.blocks {
		if !b.overlaps(p) {
			kept = append(kept, b)
			continue
		}
		switch {
		case b.out:
			c.report(Twice, p, b.given, m, h)
		case !m.Clock.Covers(b.back):
			c.report(TooEarly, p, b.back, m, h)
		}
		kept = append(kept, b.without(p)...)
	}
	h.blocks = append(kept, block{from: p.Offset, to: p.Offset + p.Bytes, out: true, given: m.Point})
	c.add(h, p, true, TooEarly, m)
}

// without returns the parts of a block outside a place.
func (b block) without(p Place) []block {
	var rest []block
	if b.from < p.Offset {
		left := b
		left.to = p.Offset
		rest = append(rest, left)
	}
	if end := p.Offset + p.Bytes; end < b.to {
		right := b
		right.from = end
		rest = append(rest, right)
	}
	return rest
}

// TakeBack notes that a pool has taken memory back, free for what comes after the moment. Uses in other streams may still be under way; what comes next
// has to be ordered after them too. Memory that is not handed out is reported.
func (c *Checker) TakeBack(p Place, m Moment) {
	if !c.On || p.Bytes == 0 {
		return
	}
	h := c.at(p)
	for i := range h.blocks {
		b := &h.blocks[i]
		if b.from == p.Offset && b.to == p.Offset+p.Bytes && b.out {
			b.out, b.back = false, m.Point
			return
		}
	}
	for _, b := range h.blocks {
		if b.overlaps(p) {
			before := b.back
			if b.out {
				before = b.given
			}
			c.report(NotOut, p, before, m, h)
			return
		}
	}
	c.report(NotOut, p, Point{Where: "no pool", What: "handed it out"}, m, h)
}

// Transfer notes that memory changes its owner below the pools that divide it into blocks: the driver's own pool hands it out or takes it
// back. That must be ordered after all uses. Transfer reports a block that is still handed out, and drops the others.
func (c *Checker) Transfer(p Place, m Moment) {
	if !c.On || p.Bytes == 0 {
		return
	}
	h := c.at(p)
	kept := []block{}
	for _, b := range h.blocks {
		switch {
		case !b.overlaps(p):
			kept = append(kept, b)
		case b.out:
			c.report(Twice, p, b.given, m, h)
		case !m.Clock.Covers(b.back):
			c.report(TooEarly, p, b.back, m, h)
		}
	}
	h.blocks = kept
	c.add(h, p, true, Unordered, m)
}
