package poolimpl

import (
	"cmp"
	"iter"
	"sync"
	"sync/atomic"
)

// streams holds what was freed on streams that may still be using it. Such a block is in one of these places, and mostly moves from one to the next:
//
//	queues.last     the block freed last, by any stream
//	queues.list     the queue of its stream: in the open epoch, then, with a fence, in a sealed one
//	inFlight        when memory is short: the core has the block again, and its range is in flight until the fence of its epoch has completed
//	pendingForeign  a block that lies in no chunk: borrowed or direct
//
// When the fence of a sealed epoch has completed, its blocks go back to the core. A request of the same size on the same stream takes a block out of queues at once.
//
// Callers use the fences in inUse with the lock released. A fence may be in inUse and in release; it is released when it has left inUse.
type streams struct {
	lock   *poolLock // released while the driver is called
	memory *memory   // has the Timeline that is called

	queues         streamQueues
	inFlight       []inFlight
	pendingForeign []*pendingForeign
	anyInFlight    atomic.Bool // len(inFlight) > 0, for readers without mu
	inUse, release []Fence
	unreturned     []Fence // fences that the driver refused to release
	reclaimed      uint64  // number of frees that streams have passed so far
	polling        bool    // one caller is asking which fences have completed
	calls          int     // number of callers that are calling the driver
	// on mu; broadcast when one of calls has ended. Without a lock nobody waits for it, and L is nil
	answered sync.Cond
	err      error // the result of the last poll; nil: no error
}

// pending returns the number of frees that wait for a stream.
func (s *streams) pending() int {
	n := s.queues.Count() + len(s.pendingForeign)
	for i := range s.inFlight {
		n += s.inFlight[i].frees
	}
	return n
}

// reset forgets all that was freed on streams. The caller has waited for what has to be waited for.
func (s *streams) reset() {
	for i := range s.queues.list {
		s.dropFences(s.queues.list[i].sealed)
	}
	for i := range s.inFlight {
		s.dropFence(s.inFlight[i].fence)
	}
	for i := range s.pendingForeign {
		if fence := s.pendingForeign[i].fence; fence != 0 {
			s.dropFence(fence)
		}
	}
	s.queues, s.inFlight, s.pendingForeign, s.err = streamQueues{}, nil, nil, nil
	s.anyInFlight.Store(false)
}

// reclaimDue seals the epochs that have collected enough frees, and reclaims the completed ones. It does not report errors of the driver: the blocks stay
// pending until a later fence covers them.
func (e *Engine) reclaimDue() {
	for i := 0; i < len(e.streams.queues.list); i++ { // sealing releases the lock, and the list may grow
		if q := &e.streams.queues.list[i]; q.unsealed >= epochSize {
			_ = e.streams.sealEpoch(q)
		}
	}
	_, _ = e.reclaimCompleted()
}

// Poll reclaims the frees that their streams have passed, and returns chunks that have been empty for long enough. The result is the number of frees
// reclaimed. Any goroutine may call Poll, unless the pool has no lock. Cost: one call of the driver to seal each stream's frees, and one for each fence that
// it asks about.
func (e *Engine) Poll() int {
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
func (s *streams) reuse(core StreamCore, r request) (slot uint32, off uint64, ok bool) {
	if r.stream == nil || core == nil {
		return 0, 0, false
	}
	addr, ok := s.queues.Reuse(*r.stream, r.bytes)
	if !ok {
		return 0, 0, false
	}
	if addr&(r.align-1) != 0 { // back to its queue, as if it were freed last
		s.queues.Defer(*r.stream, addr, r.bytes)
		return 0, 0, false
	}
	slot, off = core.Reuse(addr, r.bytes)
	return slot, off, true
}

// recover looks for memory among the frees on streams before the pool grows: first frees that have completed and have a fence, then all frees of the
// request's own stream. It reports whether there is more free memory than before.
func (e *Engine) recover(r request) bool {
	if e.core.stream == nil {
		return false
	}
	if n, _ := e.reclaimCompleted(); n > 0 {
		return true
	}
	if r.stream == nil || e.config.Direct {
		return false
	}
	queues := &e.streams.queues
	queues.flush()
	if q := queues.find(*r.stream); q == nil || e.streams.sealEpoch(q) != nil {
		return false
	}
	q := queues.find(*r.stream) // the queue may have moved or gone
	return q != nil && e.streams.reclaimEarly(e.core.stream, q)
}

// recoverAll looks for memory among all frees on streams when the pool cannot grow, and notices what other callers reclaim meanwhile. An allocation on a
// stream can use memory freed on other streams at once: the driver makes its stream wait.
func (e *Engine) recoverAll(r request) (any bool) {
	if e.core.stream == nil {
		return false
	}
	before := e.streams.reclaimed
	if _, _ = e.poll(); e.streams.reclaimed > before {
		return true
	}
	if r.stream != nil && !e.config.Direct {
		_ = e.streams.sealEpochs()
		for i := range e.streams.queues.list {
			any = e.streams.reclaimEarly(e.core.stream, &e.streams.queues.list[i]) || any
		}
	}
	return any || e.streams.reclaimed > before
}

// epoch is a sealed epoch: all its blocks were freed before the fence.
type epoch struct {
	number uint64
	fence  Fence
}

// covered returns the number of the last sealed epoch.
func (q *streamQueue) covered() uint64 {
	if k := len(q.sealed); k > 0 {
		return q.sealed[k-1].number
	}
	return q.done
}

// takeEpochs ends a queue's first sealed epochs and removes their blocks, oldest first.
func (qs *streamQueues) takeEpochs(q *streamQueue, epochs int) iter.Seq[pendingBlock] {
	q.sealed, q.done = q.sealed[epochs:], q.sealed[epochs-1].number
	return func(yield func(pendingBlock) bool) {
		for qs.holds(q, q.done) {
			b := qs.blocks[q.oldest]
			qs.remove(q, q.oldest)
			if !yield(b) {
				return
			}
		}
	}
}

// sealEpochs seals the open epoch of each queue, if the epoch has blocks, and makes the fences that pending foreign blocks lack. If one stream gets no fence, the
// others still do.
func (s *streams) sealEpochs() (err error) {
	s.queues.flush()
	for i := 0; i < len(s.queues.list); i++ { // sealing releases the lock, and the list may grow
		if failed := s.sealEpoch(&s.queues.list[i]); err == nil {
			err = failed
		}
	}
	return cmp.Or(err, s.fenceForeign())
}

// sealEpoch seals the open epoch of a queue, if the epoch has blocks. The lock is released meanwhile, and queues move when others are added, so the caller
// does not use q afterwards.
func (s *streams) sealEpoch(q *streamQueue) error {
	queues := &s.queues
	if q.newest == 0 || q.sealing || queues.blocks[q.newest].epoch <= q.covered() {
		return nil
	}
	number, stream := q.epoch, q.stream
	q.epoch++
	q.unsealed = 0
	q.sealing = true
	defer func() { queues.find(stream).sealing = false }() // a queue that is being sealed is not given to another stream
	fence, err := s.recordFence(stream)
	if err != nil {
		return err // a later fence will cover the epoch
	}
	if q = queues.find(stream); queues.holds(q, number) {
		q.sealed = append(q.sealed, epoch{number, fence})
	} else {
		s.dropFence(fence)
	}
	return nil
}

// poll seals all epochs and reclaims the completed ones, after other callers that are doing so. The lock is released while the driver is called.
func (e *Engine) poll() (reclaimed int, err error) {
	if e.core.stream == nil {
		return 0, nil
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
