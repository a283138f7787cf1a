package runtime

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
