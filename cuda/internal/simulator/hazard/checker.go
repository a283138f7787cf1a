package hazard

// Checker records uses of memory and reports those that are not ordered. The zero value is switched off.
type Checker struct {
	On      bool
	memory  map[uint64]*history
	reports []Report
	more    int // reports that were not kept
}

// Place is a range of physical memory.
type Place struct {
	Memory  uint64
	Offset  uint64
	Bytes   uint64
	Address uint64 // for the report
}

// Moment is a point in the order of operations.
type Moment struct {
	Point Point
	Clock Clock // everything before it, itself included
	Host  Clock // what the host has waited for: all later operations come after that
}

// history has the uses of one piece of memory.
type history struct {
	uses   []use
	blocks []block
}

// use is one use of bytes [from, to).
type use struct {
	from, to uint64
	write    bool
	point    Point
}

// at returns the history of a place.
func (c *Checker) at(p Place) *history {
	if c.memory == nil {
		c.memory = map[uint64]*history{}
	}
	h := c.memory[p.Memory]
	if h == nil {
		h = &history{}
		c.memory[p.Memory] = h
	}
	return h
}

// Use notes that bytes are read, or written, and reports earlier uses that conflict with that, and blocks that were taken back. Its cost
// grows with the number of uses of the memory that the host has not waited for.
func (c *Checker) Use(p Place, write bool, m Moment) {
	if !c.On || p.Bytes == 0 {
		return
	}
	h := c.at(p)
	for _, b := range h.blocks {
		if !b.out && b.overlaps(p) {
			c.report(UsedAfter, p, b.back, m, h)
		}
	}
	c.add(h, p, write, Unordered, m)
}

// add reports the uses that conflict with a new one, drops those that no later one can conflict with, and adds the new one.
func (c *Checker) add(h *history, p Place, write bool, kind Kind, m Moment) {
	fresh := use{p.Offset, p.Offset + p.Bytes, write, m.Point}
	for _, old := range h.uses {
		if old.overlaps(fresh) && (write || old.write) && !m.Clock.Covers(old.point) {
			c.report(kind, p, old.point, m, h)
		}
	}
	kept := h.uses[:0]
	for _, old := range h.uses {
		replaced := m.Clock.Covers(old.point) && fresh.from <= old.from && old.to <= fresh.to && (write || !old.write)
		if !replaced && !m.Host.Covers(old.point) {
			kept = append(kept, old)
		}
	}
	h.uses = append(kept, fresh)
}

func (u use) overlaps(o use) bool { return u.from < o.to && o.from < u.to }

// Forget drops the history of memory that is gone.
func (c *Checker) Forget(memory uint64) { delete(c.memory, memory) }
