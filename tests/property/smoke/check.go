package smoke

// check checks everything that must hold between two calls.
func (tr *trial) check(when string) {
	tr.t.Helper()
	tr.disjoint()
	var bytes int64
	for _, b := range tr.live {
		tr.intact(b)
		bytes += int64(b.bytes)
	}
	s := tr.stats()
	live := int64(len(tr.live))
	switch {
	case tr.Borrows: // some blocks may be of the other pool
		if s.Live > live || s.LiveBytes > bytes {
			tr.errorf("%s: %d blocks of %d bytes live, but %+v", when, live, bytes, s)
		}
	case s.Live != live || s.LiveBytes != bytes:
		tr.errorf("%s: %d blocks of %d bytes live, but %+v", when, live, bytes, s)
	case tr.Counters && (s.Allocs != tr.allocs || s.Frees != tr.allocs-live || s.PeakBytes < bytes):
		tr.errorf("%s: %d allocations, %d bytes live, but %+v", when, tr.allocs, bytes, s)
	case !tr.Counters && (s.Allocs != 0 || s.Frees != 0 || s.PeakBytes != 0):
		tr.errorf("%s: counts without counters: %+v", when, s)
	}
	if s.Reserved > s.Limit || s.PeakReserved < s.Reserved || s.LiveBytes+s.RoundingBytes+s.Cached > s.Reserved ||
		s.LargestFree > s.Reserved || s.RoundingBytes < 0 || s.Cached < 0 || (s.Chunks == 0) != (s.Reserved == 0) || s.Pending != 0 {
		tr.errorf("%s: not consistent: %+v", when, s)
	}
}
