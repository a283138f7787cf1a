package poolimpl

import "sync/atomic"

// shownRanges are all ranges in flight, for callers that have taken a block of a [SharedCore] without e.mu. A range is among them before its memory can be
// allocated, so whoever takes memory in flight finds it here. A range that its stream has just passed may still be among them. The zero value is none.
type shownRanges struct{ ranges atomic.Pointer[extents] } // nil: no stream has anything in flight

// any reports whether a stream has anything in flight. Part of the fast path.
func (s *shownRanges) any() bool { return s.ranges.Load() != nil }

// touch reports whether any range overlaps [addr, addr+bytes). Cost: a binary search.
func (s *shownRanges) touch(addr, bytes uint64) bool {
	ranges := s.ranges.Load()
	return ranges != nil && ranges.touch(addr, max(bytes, 1))
}

// showInFlight replaces the ranges that callers without e.mu see. Cost: a pass over all of them.
func (s *streams) showInFlight() {
	if len(s.inFlight) == 0 {
		s.shown.ranges.Store(nil)
		return
	}
	var all extents
	for _, f := range s.inFlight {
		for _, h := range f.ranges {
			all = append(all, h.Extent)
		}
	}
	all = all.Join()
	s.shown.ranges.Store(&all)
}
