package poolimpl

import (
	"cmp"
	"sync"
	"sync/atomic"
)

// streams holds what was freed on streams that may still be using it. Such a block is in one of these places, and mostly moves from one to the next:
//
//	queues          the queue of its stream: as the last block, in the open epoch or, with a fence, in a sealed one
//	inFlight        when memory is short: the core has the block again, and its range is in flight until the stream has passed the mark behind it
//	pendingForeign  a block that lies in no chunk: borrowed or direct
//
// When the fence of a sealed epoch has completed, its blocks go back to the core. A request of the same size on the same stream takes a block out of its queue
// at once.
type streams struct {
	lock   *poolLock // e.mu
	memory *memory   // has the Timeline that is called

	queues         streamQueues
	inFlight       []*inFlight // one for each stream that has some
	resting        bool        // nothing is handed out: sleep.state is not awake
	detour         bool        // allocations leave the fast path: some range is in flight, or resting
	marked         uint64      // number of the newest mark
	pendingForeign []*pendingForeign
	shown          shownRanges // those of inFlight, for readers without mu
	anyForeign     atomic.Bool // len(pendingForeign) > 0, likewise

	_         [128]byte // callers without mu write to the fields below, and only read those above
	fences    fences
	reclaimed atomic.Uint64 // number of frees that streams have passed so far
	polling   bool          // one caller is asking which fences have completed
	calls     atomic.Int32  // number of callers that are calling the driver, with mu or without
	sleepers  atomic.Int32  // number of callers in awaitDriver
	// on mu; broadcast when one of calls has ended and there are sleepers. Without a lock nobody waits for it, and L is nil
	answered sync.Cond
	err      error // the result of the last poll; nil: no error
}

// pending returns the number of frees that wait for a stream.
func (s *streams) pending() int { return s.queues.count() + s.elsewhere() }

// elsewhere returns the number of frees that wait for a stream and are in no queue.
func (s *streams) elsewhere() int {
	n := len(s.pendingForeign)
	for _, f := range s.inFlight {
		n += f.frees()
	}
	return n
}

// setDetour sets detour, after a change of what it depends on.
func (s *streams) setDetour() { s.detour = s.resting || len(s.inFlight) > 0 }

// stop makes callers on streams wait until queues.resume. It fails if a free is pending, or if a caller is about to reclaim some.
func (s *streams) stop() bool {
	if s.queues.stop()+s.elsewhere() > 0 || s.calls.Load() > 0 {
		s.queues.resume()
		return false
	}
	return true
}

// reset forgets all that was freed on streams, and ends stop. The caller has waited for what has to be waited for.
func (s *streams) reset() {
	s.queues.end(s.fences.dropAll)
	for _, f := range s.inFlight {
		for _, m := range f.marks {
			s.fences.drop(m.fence)
		}
		f.marks, f.ranges, f.left = nil, nil, nil // for callers who are asking about one of them
	}
	for i := range s.pendingForeign {
		if fence := s.pendingForeign[i].fence; fence != 0 {
			s.fences.drop(fence)
		}
	}
	s.inFlight, s.pendingForeign, s.err = nil, nil, nil
	s.setDetour()
	s.shown.ranges.Store(nil)
	s.anyForeign.Store(false)
}

// Poll reclaims the frees that their streams have passed, and returns chunks that have been empty for long enough. The result is the number of frees
// reclaimed. Any goroutine may call Poll, unless the pool has no lock. Cost: one call of the driver to seal each stream's frees, and one for each fence that
// it asks about.
func (e *Engine) Poll() int {
	defer e.tidyBudget()
	if Debug {
		e.observed.debug.flushQuarantine(e)
		defer e.observed.debug.endBypass()
	}
	e.lock()
	defer e.unlockAndNotify()
	if e.life.closed {
		return 0
	}
	n, _ := e.poll()
	_, _ = e.retryUnreturned()
	e.expire()
	return n
}

// reuse takes a block that was freed on the request's own stream.
func (e onStreams) reuse(r request) (slot uint32, off uint64, ok bool) {
	core, q := &e.core, e.streams.queues.find(*r.stream)
	if q == nil {
		return 0, 0, false
	}
	q.lock()
	defer q.unlock()
	bytes := r.bytes
	if core.rounds != nil {
		bytes = core.rounds.Rounded(bytes)
	}
	addr, ok := q.Reuse(bytes)
	if !ok && bytes != r.bytes {
		bytes = r.bytes
		addr, ok = q.Reuse(bytes)
	}
	if !ok {
		return 0, 0, false
	}
	if addr&(r.align-1) != 0 { // back to its queue, as if it were freed last
		q.Defer(addr, bytes)
		return 0, 0, false
	}
	slot, off = core.stream.Reuse(addr, r.bytes)
	return slot, off, true
}

// The steps of recover, in the order of their cost.
const (
	seekCompleted = iota // frees behind a fence that their stream has passed
	seekOwn              // all frees of the request's own stream
	seekAll              // frees of any stream that has passed them, fence or not
	seekNone
)

// recover looks for memory among the frees on streams before the pool grows. Each step is taken once for each growth. It reports whether the request may be
// served now: there is more free memory than before, or the lock was released meanwhile, and others may have done something. seek is the step to begin with next.
func (e onStreams) recover(r request) (found bool, seek int) {
	for unlocks := e.unlocks; r.seek < seekNone && !found; r.seek++ {
		switch r.seek {
		case seekCompleted:
			n, _ := e.reclaimCompleted()
			found = n > 0
		case seekOwn:
			found = r.stream != nil && !e.config.Direct && e.recoverOwn(*r.stream)
		case seekAll:
			if e.streams.queues.anyUnsealed() {
				_, _ = e.poll()
			}
			found = e.unlocks != unlocks
		}
	}
	return found, r.seek
}

// recoverOwn puts all that was freed on a stream in flight. It reports whether there was any.
func (e onStreams) recoverOwn(on Stream) bool {
	q := e.streams.queues.find(on)
	if q == nil {
		return false
	}
	if _, err := e.streams.driver().seal(q); err != nil {
		return false
	}
	q = e.streams.queues.find(on) // the queue may have another stream now
	return q != nil && e.streams.reclaimEarly(&e.core, q, e.config.rounding())
}

// recoverAll looks for memory among all frees on streams when the pool cannot grow, and notices what other callers reclaim meanwhile. An allocation on a
// stream can use memory freed on other streams at once: the driver makes its stream wait.
func (e onStreams) recoverAll(r request) (any bool) {
	before := e.streams.reclaimed.Load()
	if _, _ = e.poll(); e.streams.reclaimed.Load() > before {
		return true
	}
	if r.stream != nil && !e.config.Direct {
		any = e.recoverOthers()
	}
	return any || e.streams.reclaimed.Load() > before
}

// sealEpochs seals the open epoch of each queue, if the epoch has blocks, and makes the fences that pending foreign blocks lack. If one stream gets no fence, the
// others still do.
func (s *streams) sealEpochs() (err error) {
	for i := 0; i < len(s.queues.list); i++ { // sealing releases the lock, and the list may grow
		if _, failed := s.driver().seal(s.queues.list[i]); err == nil {
			err = failed
		}
	}
	return cmp.Or(err, s.fenceForeign())
}

// sealAll puts a fence behind all frees of a queue: after other callers that are sealing an epoch, which may not have the last frees. The pool has a lock.
func (s *streams) sealAll(q *StreamQueue) {
	for {
		if busy, _ := s.driver().seal(q); !busy {
			return
		}
		s.awaitDriver()
	}
}

// seal seals the open epoch of a queue, if the epoch has blocks. If another caller is sealing an epoch, it does nothing, and busy is true.
func (d driver) seal(q *StreamQueue) (busy bool, err error) {
	number, on, busy := q.beginSeal()
	if number == 0 {
		return busy, nil
	}
	fence := Fence(0)
	defer func() { // also if the driver's side panics
		if !q.endSeal(number, fence) && fence != 0 {
			d.streams.fences.drop(fence)
		}
	}()
	fence, err = d.record(on)
	return false, err
}

// poll seals all epochs and reclaims the completed ones, after other callers that are doing so. The lock is released while the driver is called.
func (e onStreams) poll() (reclaimed int, err error) {
	if d := e.core.driver; d != nil {
		d.observe(e.Engine)
	}
	for e.streams.polling && e.streams.awaitDriver() {
	}
	err = e.streams.sealEpochs()
	for e.streams.polling && e.streams.awaitDriver() {
	}
	n, failed := e.reclaimCompleted()
	if err == nil {
		err = failed
	}
	e.streams.err = err
	return n, err
}
