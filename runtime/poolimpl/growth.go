package poolimpl

import poolrt "github.com/poolgen/poolgen/runtime"

// allocOrGrow takes a block, growing the pool as long as that helps. When the pool cannot grow, allocOrGrow waits for other callers that are obtaining or
// returning memory, then flushes what the core has cached.
func (e *Engine) allocOrGrow(r request) (foundBlock, error) {
	if e.core.driver != nil {
		return e.core.driver.allocOrGrow(e, r)
	}
	flushed := false
	brought := false // a chunk has come to the caller's processor; if Alloc finds no block all the same, the caller has moved, or other callers were faster
	r.far = r.far || e.lacks(r)
	for {
		if b, ok := e.allocNow(r); ok {
			e.wakeNext()
			return b, nil
		}
		unlocks := e.unlocks
		if err := e.check(r); err != nil {
			return foundBlock{}, err
		}
		found := false
		switch found, r.seek = e.order.recover(r); {
		case found:
			continue
		case e.core.shared == nil || r.far:
		case brought:
			r.far, r.spares, brought = true, true, false
			continue
		case e.core.shared.Steal():
			brought = true
			e.fullness.noteMove()
			continue
		}
		did, err := e.grow(r)
		r.note(did)
		switch {
		case err == nil:
			r.far, brought = false, true
			r.thorough = true // any number of blocks in flight may precede the new memory
		case e.config.Magazines && !r.over() && e.activity.waitIdle(r):
		case e.core.shared != nil && !r.far:
			r.far, r.spares = true, e.activity.busy()
		case !r.over() && e.activity.waitIdle(r):
		case r.spares: // the pool cannot grow
			r.spares = false
		case e.lacks(r): // flushed, too
			return foundBlock{}, err
		case (!flushed || len(e.streams.inFlight) == 0) && e.core.flushAll():
			flushed = true // at most once while ranges are in flight: blocks that were put aside return to the cache, so Flush would find some each time
		default:
			if e.unlocks != unlocks && !e.life.closed { // a block may have been freed while the lock was released
				if b, ok := e.allocNow(r); ok {
					return b, nil
				}
			}
			return foundBlock{}, err
		}
	}
}

// check refuses a request that neither waiting nor growth could serve.
func (e *Engine) check(r request) error {
	switch {
	case e.life.closed:
		return poolrt.ErrClosed
	case e.life.badItem != nil:
		return e.life.badItem
	case e.config.Imported:
		return errNotAllocated
	case e.streams.resting:
		return poolrt.ErrAsleep
	case e.memory.need(e.core.Core, r) > e.largest():
		return poolrt.ErrTooLarge
	}
	return nil
}

// largest returns the size of the largest chunk that the pool could ever have, at most NoLimit-1.
func (e *Engine) largest() int64 {
	c := e.config
	n := min(e.limits.limit, e.budget.Budget().Limit(), poolrt.NoLimit-1)
	if !c.Oversize {
		n = min(n, e.memory.unit)
	}
	if c.MaxChunk > 0 {
		n = min(n, c.MaxChunk)
	}
	return n
}

// grow adds memory that is sure to serve the request, within the limit and the budget. The lock is released while the source works: one caller grows the
// pool, the others may free and allocate. Without an error, the caller notes the change in the request and tries it again; it may fail again.
func (e *Engine) grow(r request) (change, error) {
	if e.memory.Source == nil || e.limits.growing > 0 || e.core.driver != nil {
		return unchanged, poolrt.ErrLimit
	}
	return e.memory.layout.grow(r)
}

// chunkSizes returns the size that a chunk for the request needs, and the size that it should have. For a pool with a single chunk, the size is all that the
// pool may ever reserve, since no second chunk follows.
func (e *Engine) chunkSizes(r request) (need, want int64) {
	need = e.memory.need(e.core.Core, r)
	switch {
	case e.config.Direct:
		return need, need
	case e.memory.single && e.limits.chunks > e.foreign.direct.count+e.graphs.chunks+int64(len(e.graphs.unreturned)):
		return poolrt.NoLimit, poolrt.NoLimit
	}
	want = max(need, min(e.memory.next, e.memory.growable(e.config.MaxChunk)))
	if e.memory.single {
		need = max(need, min(want, roundDown(e.limits.limit, e.memory.Granularity)))
	}
	return need, want
}

// beforeGrowth does what comes before size bytes are added: it lets the request wait for other streams, or returns surplus. Unless the result is unchanged, the
// caller has to try again.
func (e *Engine) beforeGrowth(r request, size int64, gap Extent) change {
	if e.waitsFirst(r, size) {
		e.order.recoverOthers()
		return mayWait
	}
	return e.trimBeforeGrowth(r, size, gap)
}

// trimBeforeGrowth returns surplus before size bytes are added that would raise the peak: surplus that cannot serve the request is fragmentation. Before that, the
// core flushes what it hoards, or all if the pool is steady. Pages in the gap stay, since the request needs them. Unless the result is unchanged, the caller
// has to try again.
func (e *Engine) trimBeforeGrowth(r request, size int64, gap Extent) change {
	if r.prime || r.refused || r.gaveBack {
		return unchanged
	}
	var hoarded int64
	small := e.core.slabs != nil && e.core.slabs.Serves(r.bytes)
	if e.core.hoards != nil && !small && e.memory.page() == 0 && size <= e.limits.room(e.budget) { // at the limit, the ladder makes room
		hoarded = e.figures.beyondLive(e, r.bytes, size)
	}
	n := max(e.life.trim.excess(size, e.limits.held(), e.figures.peakReserved), hoarded)
	if n == 0 {
		return unchanged
	}
	if e.memory.page() == 0 {
		flushes := e.life.thrash.steady
		if hoarded > 0 {
			flushes = int64(e.core.hoards.Hoard()) >= size
		}
		if flushes && !r.uncached && e.core.flushFor(r.bytes) {
			return uncached
		}
		if e.life.thrash.asksAgain(size) {
			return unchanged
		}
	}
	due := e.memory.collect(order{fit: n, outside: gap}, e.memory.atLeast(n))
	if bytesOf(due) < n && !r.uncached && e.memory.flushFor(r, &e.core) { // once: blocks that the request puts aside are cached again
		return uncached
	}
	if hoarded > bytesOf(due)+2*e.memory.unit { // small blocks hold large chunks; of a pool with few chunks, it says nothing
		e.core.hoards.KeepLarge()
	}
	if len(due) == 0 {
		return unchanged
	}
	if released, _ := e.shed(due); released == 0 {
		return refusedBack
	}
	if e.memory.page() == 0 {
		e.life.thrash.gave(due)
	}
	return gaveBack
}

// flushFor makes the core free what it has cached and surplus does not yield, and reports whether there was any. Slabs may stay.
func (m *memory) flushFor(r request, core *cores) bool {
	if core.slabs != nil && m.page() > 0 {
		return core.flushFor(r.bytes)
	}
	return m.layout.flush()
}

// flushAll is Flush of all that is kept from any request: first what is cached, then large chunks. It reports whether anything was.
func (c *cores) flushAll() bool {
	cached := c.Flush()
	return c.Flush() || cached
}

// flushFor is Flush before the pool grows for a request of so many bytes.
func (c *cores) flushFor(bytes uint64) bool {
	if c.slabs != nil {
		return c.slabs.FlushFor(bytes)
	}
	return c.Flush()
}

// waitsFirst reports whether the request is to wait for other streams, if that serves it, before the pool grows by size bytes.
func (e *Engine) waitsFirst(r request, size int64) bool {
	return !r.waits && r.stream != nil && e.core.stream != nil && !e.config.Direct && e.beyond(size) > 0
}

// beyond returns how many bytes of growth by so many are only added if waiting for other streams does not serve the request.
func (e *Engine) beyond(size int64) int64 {
	switch e.config.AcrossStreams {
	case AcrossPeak:
		return size - (e.figures.peakReserved - e.limits.held())
	case AcrossGrowth:
		return size
	}
	return 0
}
