package heap

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Gap returns the place that is best for a request; among equals, the one with the lowest address. The place is whole pages, at least one
// of them without memory; its size is 0 if there is no room. Once the memory has come, the block that [Space.Alloc] cuts from it lies on
// these pages. [poolimpl.LeastMemory] is the place where the least memory has to come, [poolimpl.LeastPages] the one with the fewest pages
// on which no block lies. A place that is [poolimpl.Apart] lies in one hole, and not right behind a free range.
//
// The best place begins or ends with a hole, or with a free range that has a hole beside it, so Gap looks at both ends of each hole. The
// cost is linear in the number of holes and of the free ranges beside them.
func (s *Space) Gap(bytes, align uint64, by poolimpl.GapRule) poolimpl.Extent {
	apart := by == poolimpl.Apart
	v := gapSearch{s: s, n: (bytes-1)>>(s.shift&63) + 1, pages: by == poolimpl.LeastPages, least: ^uint64(0)}
	if v.n > 1<<32-1 {
		return poolimpl.Extent{}
	}
	mask := max(align>>(s.shift&63), 1) - 1
	var front, back edges
	var end uint64 // of the free ranges and holes around
	for _, i := range s.holes {
		d := s.at(i)
		if d.unit >= end {
			v.from, end = s.around(i)
		}
		v.hole, v.to = d, end
		first := d.unit
		if apart {
			v.to = d.unit + uint64(d.size)
			if s.ranges.has(d.prev) {
				first += s.page
			}
		} else if s.ranges.has(d.prev) {
			first = s.at(d.prev).unit
		}
		v.consider(&front, (first+mask)&^mask)
		if q := s.at(d.next); !apart && s.ranges.has(d.next) && q.unit+uint64(q.size) > v.n {
			v.consider(&back, (q.unit+uint64(q.size)-v.n)&^mask)
		}
	}
	return v.best
}

// around returns the bounds of the row of free ranges and holes that begins with hole i, or with the free range in front of it.
func (s *Space) around(i uint32) (from, to uint64) {
	d := s.at(i)
	from = d.unit
	if s.ranges.has(d.prev) {
		from = s.at(d.prev).unit
	}
	for {
		to = d.unit + uint64(d.size)
		d = s.at(d.next)
		if state := d.state(); state != poolrt.PieceFree && state != poolrt.PieceHole {
			return from, to
		}
	}
}

// gapSearch is the search at one hole. Addresses and sizes are in granules, except in best.
type gapSearch struct {
	s        *Space
	n        uint64 // wanted
	hole     *node
	from, to uint64 // bounds of the place
	pages    bool   // the cost of a place is its pages without blocks, not the memory that is missing
	best     poolimpl.Extent
	least    uint64 // cost of the best place
}

// edges are the two ends of a place that moves up.
type edges struct{ low, high level }

// consider makes the place that begins at start the best one if it has a part of the hole and costs less than the best so far. If the
// request needs nothing of the hole, the place includes the first page of it.
func (v *gapSearch) consider(e *edges, start uint64) {
	end := max(start+v.n, v.hole.unit+1)
	if start < v.from || start >= v.hole.unit+uint64(v.hole.size) || end > v.to {
		return
	}
	s := v.s
	base := s.chunk(v.hole).unit
	from, to := start-(start-base)%s.page, end+s.page-1-(end+s.page-1-base)%s.page
	cost := e.high.below(s, to) - e.low.below(s, from)
	if v.pages {
		cost = v.unused(from, to)
	}
	if cost < v.least {
		v.best, v.least = poolimpl.Extent{Addr: from << (s.shift & 63), Size: (to - from) << (s.shift & 63)}, cost
	}
}

// unused returns the size of those pages from one address to another on which no block lies: all that do not reach beyond the bounds.
func (v *gapSearch) unused(from, to uint64) uint64 {
	page := v.s.page
	if from < v.from {
		from += page
	}
	if to > v.to && from < to {
		to -= page
	}
	return to - from
}

// level counts the granules without memory below addresses that ascend.
type level struct {
	passed int    // holes that lie below the address as a whole
	size   uint64 // size of these
}

// below returns how many granules of holes lie below an address.
func (l *level) below(s *Space, unit uint64) uint64 {
	for l.passed < len(s.holes) {
		d := s.at(s.holes[l.passed])
		if d.unit+uint64(d.size) > unit {
			return l.size + max(d.unit, unit) - d.unit
		}
		l.passed++
		l.size += uint64(d.size)
	}
	return l.size
}
