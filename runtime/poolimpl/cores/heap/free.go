package heap

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Free frees the live block at a link that [Space.Find] returned, merges the block with the free ranges around it, and returns the node of
// the free range. With good fit the cost is constant, otherwise it is logarithmic in the number of free ranges.
func (s *Space) Free(link *uint32) uint32 {
	i := *link
	d := s.at(i)
	*link = d.link
	s.index.count--
	s.chunk(d).used -= d.size
	if s.page != 0 {
		s.lastFreed = freedRange{unit: d.unit, size: d.size}
	}
	if q := d.next; s.ranges.has(q) {
		if s.tree {
			s.removeTree(q)
		} else {
			s.removeBin(q)
		}
		s.mergeNext(i, q)
	}
	d.setState(poolrt.PieceFree)
	if p := d.prev; s.ranges.has(p) {
		if s.tree {
			s.removeTree(p)
		} else {
			s.removeBin(p)
		}
		s.mergeNext(p, i)
		i = p
	}
	if s.tree {
		s.insertTree(i)
	} else {
		s.insertBin(i)
	}
	if s.page != 0 {
		s.lastFreed.part = i
	}
	return i
}

// mergeNext adds the next range to range i, which it follows.
func (s *Space) mergeNext(i, next uint32) {
	d, e := s.at(i), s.at(next)
	d.size += e.size
	d.next = e.next
	s.at(e.next).prev = i
	s.freeNode(next)
}

// Classify returns the verdict on a free of an address at which [Space.Find] finds no block. An address in a free range counts as freed
// twice. So does one that is barred, as a page has left it after the free.
//
//go:noinline
func (s *Space) Classify(addr uint64) poolimpl.Verdict {
	for slot := range s.chunks {
		c := &s.chunks[slot]
		off := addr>>(s.shift&63) - c.unit
		if off < uint64(c.size) && addr&s.mask == 0 && s.ranges.has(s.nodeAt(c, off)) {
			return poolimpl.Double
		}
	}
	if s.bars() && s.barredAt(addr) {
		return poolimpl.Double
	}
	return poolimpl.Foreign
}
