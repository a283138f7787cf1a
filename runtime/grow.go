package runtime

// grow adds a chunk that is sure to serve the request, within the limit and the budget. The lock is held on entry and on return, and
// free while the source works: one caller grows, the others may still free and allocate.
func (e *Engine) grow(r request) error {
	if e.config.Source == nil {
		return ErrLimit
	}
	if e.growing || e.config.OnePiece && e.chunks.count > 0 {
		return ErrLimit
	}
	need := roundUp(int64(e.core.Need(r.bytes, r.align)), e.config.Granularity)
	size, ok := e.reserve(need, max(need, e.next))
	if !ok {
		return ErrLimit
	}
	c, err := e.fetch(size, max(int64(r.align), e.config.Alignment))
	if err != nil {
		e.giveBack(size)
		return &causedBy{ErrOutOfMemory, err}
	}
	if e.config.Double && size == e.next {
		e.next = min(2*e.next, e.largestChunk())
	}
	e.admit(c)
	e.note(EventGrowth, size, nil)
	return nil
}

// reserve counts a chunk of want bytes as ours, or of what the limit and the budget leave, but at least need.
func (e *Engine) reserve(need, want int64) (int64, bool) {
	for {
		size := min(want, roundDown(min(e.limit-e.reserved, e.config.Budget.room()), e.config.Granularity))
		if size < need {
			return 0, false
		}
		if e.config.Budget.take(size) {
			e.count(size)
			return size, true
		}
	}
}

// count adds to the reserved bytes, watching the peak and the soft limit.
func (e *Engine) count(size int64) {
	soft := e.config.SoftLimit
	if soft > 0 && e.reserved <= soft && e.reserved+size > soft {
		e.softCrossings++
		e.note(EventSoftLimit, e.reserved+size, nil)
	}
	e.reserved += size
	e.peakReserved = max(e.peakReserved, e.reserved)
}

// giveBack takes bytes off the count: those of a chunk that never came, or that the source has back.
func (e *Engine) giveBack(size int64) {
	e.reserved -= size
	e.config.Budget.give(size)
}

// fetch asks the source for a chunk, with the lock released.
func (e *Engine) fetch(size, align int64) (Chunk, error) {
	e.growing = true
	e.unlock()
	c, err := e.config.Source.Alloc(size, align)
	if err == nil && e.config.ZeroChunks {
		clear(unsafeBytes(c.Ptr, size))
	}
	e.lock()
	e.growing = false
	e.settled()
	c.Size = size
	return c, err
}

// settled wakes those who wait for growth or release to end.
func (e *Engine) settled() {
	if e.config.Locked {
		e.calm.Broadcast()
	}
}

// prime reserves the chunks that the pool starts with.
func (e *Engine) prime() error {
	r := request{op: "prime", bytes: 1, align: 1}
	for e.reserved < e.config.Prime {
		if err := e.grow(r); err != nil {
			return e.newError(r.op, err)
		}
	}
	return nil
}

// largestChunk bounds the growth by doubling.
func (e *Engine) largestChunk() int64 {
	if m := e.config.MaxChunk; m > 0 {
		return m
	}
	return roundDown(NoLimit/2, e.config.Granularity)
}

func roundUp(n, unit int64) int64   { return (n + unit - 1) / unit * unit }
func roundDown(n, unit int64) int64 { return n / unit * unit }
