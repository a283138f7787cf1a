package poolimpl

import (
	"cmp"
	"slices"
	"sync/atomic"
)

// shownRanges are all ranges in flight, for callers that have taken a block of a [SharedCore] without e.mu; other pools show none. A range is among them before
// its memory can be allocated, so whoever takes memory in flight finds it here. A range that its stream has just passed may still be among them. The zero value
// is none.
type shownRanges struct {
	ranges atomic.Pointer[rangesInFlight] // nil: no stream has anything in flight
}

// any reports whether a stream has anything in flight. Part of the fast path.
func (s *shownRanges) any() bool { return s.ranges.Load() != nil }

// overlap reports whether a stream other than that with the number own may be using memory in [addr, addr+bytes). Cost: a binary search.
func (s *shownRanges) overlap(addr, bytes, own uint64) bool {
	ranges := s.ranges.Load()
	if ranges == nil {
		return false
	}
	from, to := ranges.overlapping(Extent{addr, max(bytes, 1)})
	for _, r := range (*ranges)[from:to] {
		if r.stream != own {
			return true
		}
	}
	return false
}

// showInFlight replaces the ranges that callers of a [SharedCore] see without e.mu. Cost: a pass over all of them.
func (s *streams) showInFlight(core *cores) {
	if core.shared == nil {
		return
	}
	if len(s.inFlight) == 0 {
		s.shown.ranges.Store(nil)
		return
	}
	var all rangesInFlight
	for _, f := range s.inFlight {
		all = append(all, f.ranges...)
	}
	slices.SortFunc(all, func(a, b rangeInFlight) int { return cmp.Compare(a.Addr, b.Addr) })
	s.shown.ranges.Store(&all)
}
