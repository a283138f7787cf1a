package poolimpl

import (
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

// SharedInFlight is InFlight for a pool without a lock on its fast path, called after blocks were taken. If a range is in flight, the blocks go back: they may
// lie there. The caller does not hold e.mu.
func (s *streams) SharedInFlight() bool { return s.shown.any() }

// SharedInFlightAt is SharedInFlight for one block: it reports whether a stream may be using memory of the block. The caller does not hold e.mu.
func (s *streams) SharedInFlightAt(addr, bytes uint64) bool {
	return s.SharedInFlightOn(noStream.ID, addr, bytes)
}

// SharedInFlightOn is SharedInFlightAt for a block that is used on the stream with a number first: what that stream itself is using does not matter.
func (s *streams) SharedInFlightOn(id, addr, bytes uint64) bool {
	return s.shown.any() && s.shown.overlap(addr, bytes, id)
}
