package poolimpl

// Tally counts the blocks that a suballocator hands out, and the bytes asked for. Its zero value has counted nothing. All methods cost a few instructions
// and are inlined. A Tally is not safe for concurrent use.
type Tally struct {
	live, bytes  uint64
	allocs, peak uint64
}

// CountAlloc counts a block of n bytes that is handed out.
func (t *Tally) CountAlloc(n uint64) {
	t.allocs++
	t.CountLive(n)
	if t.bytes > t.peak {
		t.peak = t.bytes
	}
}

// CountLive counts a block of n bytes as live alone: it is not counted as handed out, and the peak stays as it is.
func (t *Tally) CountLive(n uint64) {
	t.live++
	t.bytes += n
}

// CountFree counts a live block of n bytes as freed.
func (t *Tally) CountFree(n uint64) {
	t.live--
	t.bytes -= n
}

// Uncount takes back one block from the number of those handed out.
func (t *Tally) Uncount() { t.allocs-- }

// Usage returns the counts. The suballocator adds what it occupies and what is free.
func (t *Tally) Usage() Usage {
	return Usage{Live: t.live, LiveBytes: t.bytes, PeakBytes: t.peak, Allocs: t.allocs}
}
