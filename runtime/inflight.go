package runtime

import "slices"

// When memory is short, a stream need not wait for itself: what it freed may be cut and merged anew for its own next allocation, whatever the
// sizes. So the blocks of a lane go back to the suballocator before the stream has passed them; the place that they
// took is hot until then. An allocation that comes to lie on a hot place of its own stream is fine. Another stream is made to wait for the
// mark, by the driver and without waiting here; an allocation without a stream goes elsewhere. While anything is hot, allocations
// take the slow path.

// streams.inFlight is memory that a stream may still be working with, though the suballocator has it back.
type inFlight struct {
	stream Stream
	fence  Fence
	frees  int
	ranges extents
	waited []Stream // streams that wait for the mark already
}

// InFlight reports whether allocations must take the slow path. Part of the fast path, under the lock.
func (e *Engine) InFlight() bool { return len(e.streams.inFlight) != 0 }

// reclaimEarly gives the blocks of a stream's closed epochs back to the core, as hot places. It reports whether there were any.
func (e *Engine) reclaimEarly(q *streamQueue) bool {
	k := len(q.sealed)
	if k == 0 || !e.streams.queues.holds(q, q.sealed[k-1].number) {
		return false
	}
	last := q.sealed[k-1]
	for _, older := range q.sealed[:k-1] {
		e.dropFence(older.fence)
	}
	q.sealed, q.done = nil, last.number
	f := inFlight{stream: q.stream, fence: last.fence}
	e.streams.anyInFlight.Store(true) // before anybody can get hold of the blocks
	f.frees = e.reclaimUpTo(q, last.number, func(b pendingBlock, _ uint32, _ Verdict) {
		f.ranges = append(f.ranges, Extent{b.addr, b.bytes})
	})
	f.ranges = f.ranges.joined()
	e.streams.inFlight = append(e.streams.inFlight, f)
	return true
}

// reclaimOwnEarly makes what a stream freed available for its own allocation.
func (e *Engine) reclaimOwnEarly(s Stream) bool {
	e.streams.queues.flush()
	if q := e.streams.queues.find(s); q == nil || e.sealEpoch(q) != nil {
		return false
	}
	q := e.streams.queues.find(s) // it may have moved, or gone
	return q != nil && e.reclaimEarly(q)
}

// reclaimAllEarly does so with the epochs of all streams. The allocation that profits waits for those that it needs.
func (e *Engine) reclaimAllEarly() (any bool) {
	_ = e.sealEpochs()
	for i := range e.streams.queues.list {
		any = e.reclaimEarly(&e.streams.queues.list[i]) || any
	}
	return any
}

func (f inFlight) until() Fence { return f.fence }

// expireInFlight forgets the hot places whose streams have passed, and returns how many frees that were.
func (e *Engine) expireInFlight() (expired int, err error) {
	return reclaimFenced(e, &e.streams.inFlight, e.expireInFlightAt)
}

// expireInFlightAt forgets one hot place, and follows the pool's policy for the chunks that became empty while they were hot.
func (e *Engine) expireInFlightAt(at int) (frees int) {
	f := e.streams.inFlight[at]
	e.streams.inFlight = slices.Delete(e.streams.inFlight, at, at+1)
	e.streams.anyInFlight.Store(len(e.streams.inFlight) > 0)
	e.dropFence(f.fence)
	e.returned(f.frees, e.leftBy(f.ranges))
	return f.frees
}

// leftBy lists what of chunks was in flight, for the trim policy if frees follow one.
func (e *Engine) leftBy(ranges extents) (vacated []vacancy) {
	if e.config.Trim.onFree() == nil {
		return nil
	}
	for _, x := range ranges {
		for slot := range e.chunks.overlapping(x.Addr, x.Size) {
			vacated = append(vacated, vacancy{slot, x.Addr, x.Size})
		}
	}
	return vacated
}

// inFlightAt reports whether a stream may be at work in a row of addresses.
func (e *Engine) inFlightAt(addr, bytes uint64) bool {
	return slices.ContainsFunc(e.streams.inFlight, func(f inFlight) bool { return f.ranges.touch(addr, bytes) })
}
