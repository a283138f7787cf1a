package poolimpl

import (
	"cmp"
	"slices"
	"sync/atomic"
)

// shownRanges are all ranges in flight, for callers that have taken a block of a [SharedCore] without e.mu. A range is among them before its memory can be
// allocated, so whoever takes memory in flight finds it here. A range that its stream has just passed may still be among them. The zero value is none.
type shownRanges struct{ ranges atomic.Pointer[[]shownRange] } // by address; nil: no stream has anything in flight

// shownRange is a range that a stream may be using.
type shownRange struct {
	Extent
	stream uint64 // its ID
}

// any reports whether a stream has anything in flight. Part of the fast path.
func (s *shownRanges) any() bool { return s.ranges.Load() != nil }

// overlap reports whether a stream other than that with the number own may be using memory in [addr, addr+bytes). Cost: a binary search.
func (s *shownRanges) overlap(addr, bytes, own uint64) bool {
	ranges := s.ranges.Load()
	if ranges == nil {
		return false
	}
	from, _ := slices.BinarySearchFunc(*ranges, addr, func(r shownRange, addr uint64) int {
		if r.end() <= addr {
			return -1
		}
		return 1
	})
	for _, r := range (*ranges)[from:] {
		if r.Addr >= addr+max(bytes, 1) {
			break
		}
		if r.stream != own {
			return true
		}
	}
	return false
}

// showInFlight replaces the ranges that callers without e.mu see. Cost: a pass over all of them.
func (s *streams) showInFlight() {
	if len(s.inFlight) == 0 {
		s.shown.ranges.Store(nil)
		return
	}
	var all []shownRange
	for _, f := range s.inFlight {
		for _, r := range f.ranges {
			all = append(all, shownRange{r.Extent, f.stream.ID})
		}
	}
	slices.SortFunc(all, func(a, b shownRange) int { return cmp.Compare(a.Addr, b.Addr) })
	s.shown.ranges.Store(&all)
}
