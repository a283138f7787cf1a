package runtime

import (
	"fmt"
	"math"
)

// NoLimit is the limit of a pool that has none.
const NoLimit int64 = math.MaxInt64

// Stats counts what a pool holds. Sizes are in bytes, or in numbers for a pool of numbered resources. The values belong
// together: they are read under the pool's lock (for concurrency none: by the goroutine that uses the pool).
// Reading them costs one pass over the chunks, not over the blocks.
type Stats struct {
	Live          int64 `json:"live"`           // blocks handed out and not freed
	LiveBytes     int64 `json:"live_bytes"`     // bytes requested for those blocks
	PeakBytes     int64 `json:"peak_bytes"`     // largest LiveBytes so far; blocks of the rung driver count when one is taken, and here; with concurrency sharded an estimate, at most PeakReserved; 0 with stats: off
	Reserved      int64 `json:"reserved"`       // bytes obtained from the allocator: what the limit bounds
	PeakReserved  int64 `json:"peak_reserved"`  // largest Reserved so far
	Limit         int64 `json:"limit"`          // limit in force, NoLimit if there is none
	Chunks        int64 `json:"chunks"`         // chunks that make up Reserved
	Allocs        int64 `json:"allocs"`         // blocks handed out so far; 0 with stats: off
	Frees         int64 `json:"frees"`          // blocks freed so far; 0 with stats: off
	Failures      int64 `json:"failures"`       // allocations that failed
	Pending       int64 `json:"pending"`        // frees that a stream has not passed yet; 0 for ordering sync
	LargestFree   int64 `json:"largest_free"`   // largest request that would succeed without growing; at the limit a stream may have to wait for others first
	RoundingBytes int64 `json:"rounding_bytes"` // bytes that live blocks take up beyond what was requested
	Cached        int64 `json:"cached"`         // bytes of freed blocks kept for their size class or, with magazine, by a processor
	SoftCrossings int64 `json:"soft_crossings"` // times Reserved rose above the soft limit
}

// String returns all figures by name, on one line.
func (s Stats) String() string {
	return fmt.Sprintf("Live %d, LiveBytes %d, PeakBytes %d, Reserved %d, PeakReserved %d, Limit %s, Chunks %d, Allocs %d, Frees %d, Failures %d, Pending %d, "+
		"LargestFree %d, RoundingBytes %d, Cached %d, SoftCrossings %d",
		s.Live, s.LiveBytes, s.PeakBytes, s.Reserved, s.PeakReserved, limitText(s.Limit), s.Chunks, s.Allocs, s.Frees, s.Failures, s.Pending,
		s.LargestFree, s.RoundingBytes, s.Cached, s.SoftCrossings)
}

// Stats returns the pool's statistics.
func (e *Engine) Stats() Stats {
	if Debug {
		e.flushQuarantine()
		defer e.endBypass()
	}
	e.lock()
	defer e.unlock()
	if e.figures.published != nil {
		e.publish()
		return e.figures.published.info.Stats
	}
	return e.stats()
}

func (e *Engine) stats() Stats {
	u := e.counted()
	s := Stats{
		Live:          int64(u.Live),
		LiveBytes:     int64(u.LiveBytes),
		PeakBytes:     int64(u.PeakBytes),
		Reserved:      e.limits.reserved,
		PeakReserved:  e.figures.peakReserved,
		Limit:         e.limits.limit,
		Chunks:        e.limits.chunks,
		Allocs:        int64(u.Allocs),
		Failures:      e.figures.failures,
		LargestFree:   int64(u.LargestFree),
		RoundingBytes: int64(u.Occupied - u.LiveBytes),
		Cached:        int64(u.Cached),
		Pending:       int64(e.pending()),
		SoftCrossings: e.figures.softCrossings,
	}
	if e.core.shared != nil && !e.config.Imported { // what the parts have seen, one after the other perhaps
		s.PeakBytes = min(s.PeakBytes, s.PeakReserved)
	}
	if u.Allocs > 0 {
		s.Frees = int64(u.Allocs - u.Live)
	}
	return s
}
