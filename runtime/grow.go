package runtime

import "errors"

// grow adds a chunk that is sure to serve the request, within the limit and the budget. The lock is held on entry and on return, and
// free while the source works: one caller grows, the others may still free and allocate. No error is a reason to look again, no more.
func (e *Engine) grow(r *request) error {
	if e.memory.Source == nil || e.limits.growing > 0 {
		return ErrLimit
	}
	if e.paged() {
		return e.growPages(r)
	}
	if e.trimBeforeGrowth(r) {
		return nil
	}
	size := e.ask(e.chunkSizes(*r))
	if size == 0 {
		return ErrLimit
	}
	released := e.limits.released
	c, err := e.fetch(size, max(int64(r.align), e.config.Alignment))
	if err != nil {
		return e.notSupplied(r, err, released)
	}
	if e.config.Double && size == e.memory.next {
		e.memory.next += min(size, e.growable()-size)
	}
	e.addReserved(size, 1)
	e.admit(c)
	e.queueEvent(EventGrowth, size, nil)
	return nil
}

// chunkSizes returns the size that a chunk for the request must have and the one it should have. A pool of a single
// chunk wants all it may ever get, as there will be no second.
func (e *Engine) chunkSizes(r request) (need, want int64) {
	need = e.need(r)
	switch {
	case e.config.Direct:
		return need, need
	case e.config.SingleChunk && e.limits.chunks > e.foreign.direct.count:
		return NoLimit, NoLimit
	}
	want = max(need, min(e.memory.next, e.growable()))
	if e.config.SingleChunk {
		need = max(need, min(want, roundDown(e.limits.limit, e.memory.Granularity)))
	}
	return need, want
}

// capNext makes the next chunk no more than twice the largest that is left, after some went back: else a pool whose load
// comes and goes would ask for more each time.
func (e *Engine) capNext() {
	if e.memory.next <= e.memory.unit {
		return
	}
	var largest int64
	for i := range e.chunks.list {
		largest = max(largest, e.chunks.list[i].Size)
	}
	if largest < e.memory.next/2 {
		e.memory.next = max(e.memory.unit, 2*largest)
	}
}

// growable bounds chunks that are larger than their request, for what the core can number.
func (e *Engine) growable() int64 {
	if m := e.config.MaxChunk; m > 0 {
		return roundDown(m, e.memory.Granularity)
	}
	return roundDown(NoLimit-1, e.memory.Granularity)
}

// ask claims a chunk of want bytes, or of what the limit and the budget leave, but at least need. It returns 0 when there
// is no room.
func (e *Engine) ask(need, want int64) int64 {
	for {
		size := min(want, roundDown(min(e.limits.bound-e.limits.reserved, e.config.Budget.available()), e.memory.Granularity))
		if size < need {
			return 0
		}
		if e.config.Budget.reserve(size) {
			e.limits.growing = size
			return size
		}
	}
}

// fetch asks the source for the chunk that was claimed.
func (e *Engine) fetch(size, align int64) (c Chunk, err error) {
	err = e.withClaim(size, func() error {
		defer e.figures.meter.end(e.figures.meter.begin())
		bytes := size
		if Debug {
			bytes, align = e.sourceSize(size), e.sourceSize(align)
		}
		got, err := e.memory.Source.Alloc(bytes, align)
		if err != nil {
			return err
		}
		if e.config.ZeroChunks {
			if err := e.zero(got, bytes); err != nil {
				return errors.Join(err, e.memory.Source.Free(got))
			}
		}
		c, c.Size = got, size
		if Debug {
			c = e.coreChunk(got, size)
		}
		return nil
	})
	return c, err
}

// withClaim has the source asked for the bytes that were claimed, with the lock released. If that fails, they are not claimed any more.
func (e *Engine) withClaim(size int64, ask func() error) error {
	err := errPanic
	defer func() { // also when the source panics
		e.limits.growing = 0
		if err != nil {
			e.config.Budget.release(size)
		}
		e.activity.wakeIdle()
	}()
	e.unlocked(func() { err = ask() })
	return err
}

// notSupplied is what comes of a call of the source that has failed. Where it got memory back meanwhile, more than the bytes it had got when it was asked,
// an allocation asks again: whoever gave them back found nobody waiting.
func (e *Engine) notSupplied(r *request, err error, released int64) error {
	if e.limits.released > released && !r.prime {
		return nil
	}
	return sourceError(err)
}

// errPanic stands for the result of a source that has not returned.
var errPanic = errors.New("the source panicked")

// zero clears a chunk that the source does not hand out zeroed.
func (e *Engine) zero(c Chunk, size int64) error {
	if e.memory.Zero != nil {
		return errors.Join(e.memory.Zero(c), e.memory.Zeroed())
	}
	clear(unsafeBytes(c.Ptr, size))
	return nil
}

// addReserved counts the bytes of chunks that have come, watching the peak and the soft limit.
func (e *Engine) addReserved(size, chunks int64) {
	soft, before := e.config.SoftLimit, e.limits.reserved
	e.limits.reserved += size
	e.limits.chunks += chunks
	e.figures.peakReserved = max(e.figures.peakReserved, e.limits.reserved)
	if soft > 0 && before <= soft && e.limits.reserved > soft {
		e.figures.softCrossings++
		e.queueEvent(EventSoftLimit, e.limits.reserved, nil)
	}
}

// roundUp and roundDown return the multiple of unit next to n. A unit of 0 is 1.
func roundUp(n, unit int64) int64 {
	if unit <= 1 {
		return n
	}
	return (n + unit - 1) / unit * unit
}

func roundDown(n, unit int64) int64 {
	if unit <= 1 {
		return n
	}
	return n / unit * unit
}
