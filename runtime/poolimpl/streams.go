package poolimpl

import (
	"iter"
	"sync"
	"sync/atomic"
)

// streams is what was freed on streams and may still be in use there. Such a block is either pending in one queue, or its range is in flight. Fences in inUse
// are being asked about with the lock released; they may be in release, too, and are not released before that ends. What was freed on streams and came from
// elsewhere is in foreign.
type streams struct {
	lock   *poolLock // released while the driver is asked
	memory *memory   // its Timeline is asked

	queues         streamQueues
	inFlight       []inFlight
	foreign        []pendingForeign
	anyInFlight    atomic.Bool // len(inFlight) > 0, for those without mu
	inUse, release []Fence
	reclaimed      uint64    // frees that came back to all so far
	polling        bool      // one caller is asking what has completed
	calls          int       // callers that are asking the driver anything
	answered       sync.Cond // on mu: one of calls has ended; without a lock nobody waits for it, and L is nil
	err            error     // the driver's last answer when it was asked what has completed; nil: no error
}

// pending returns how many frees wait for a stream.
func (s *streams) pending() int {
	n := s.queues.Count() + len(s.foreign)
	for i := range s.inFlight {
		n += s.inFlight[i].frees
	}
	return n
}

// reset forgets all that was freed on streams. Nothing is waited for any more.
func (s *streams) reset() {
	for i := range s.queues.list {
		s.dropFences(s.queues.list[i].sealed)
	}
	for i := range s.inFlight {
		s.dropFence(s.inFlight[i].fence)
	}
	for i := range s.foreign {
		s.dropFence(s.foreign[i].fence)
	}
	s.queues, s.inFlight, s.foreign, s.err = streamQueues{}, nil, nil, nil
	s.anyInFlight.Store(false)
}

// reclaimDue seals the epochs that have gathered enough frees, and reclaims what has completed. An error of the driver is not reported: blocks stay pending until
// a later fence covers them.
func (e *Engine) reclaimDue() {
	for i := 0; i < len(e.streams.queues.list); i++ { // there may be more queues after each round
		if q := &e.streams.queues.list[i]; q.unsealed >= epochSize {
			_ = e.streams.sealEpoch(q)
		}
	}
	_, _ = e.reclaimCompleted()
}

// Poll does what is due: it reclaims the frees whose streams have passed them, and gives back chunks that have been empty for long enough. It returns how many
// frees it reclaimed.
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
	if addr&(r.align-1) != 0 { // back to its queue, as if freed last
		s.queues.Defer(*r.stream, addr, r.bytes)
		return 0, 0, false
	}
	slot, off = core.Reuse(addr, r.bytes)
	return slot, off, true
}

// recover looks for memory among the frees on streams before the pool grows: those that have completed, as far as they have fences, then all of the request's own
// stream. It reports whether there is more than before.
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
	q := queues.find(*r.stream) // it may have moved, or gone
	return q != nil && e.streams.reclaimEarly(e.core.stream, q)
}

// recoverAll looks for memory among all frees on streams when the pool cannot grow, and notices what other callers reclaim meanwhile. An allocation on a stream
// need not wait for what was freed on others: its stream will.
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

// epoch is a sealed one: all its blocks were freed before the fence.
type epoch struct {
	number uint64
	fence  Fence
}

// covered returns the number of the last epoch that a fence covers.
func (q *streamQueue) covered() uint64 {
	if k := len(q.sealed); k > 0 {
		return q.sealed[k-1].number
	}
	return q.done
}

// takeEpochs ends a queue's first sealed epochs and takes out their blocks, the oldest first.
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

// sealEpochs seals the open epoch of each queue that has blocks in it. If one stream gets no fence, others still do.
func (s *streams) sealEpochs() (err error) {
	s.queues.flush()
	for i := 0; i < len(s.queues.list); i++ { // there may be more queues after each round
		if failed := s.sealEpoch(&s.queues.list[i]); err == nil {
			err = failed
		}
	}
	return err
}

// sealEpoch seals the open epoch of a queue, if there are blocks in it. The caller does not use q afterwards: the lock is released, and queues move when others are
// added.
func (s *streams) sealEpoch(q *streamQueue) error {
	queues := &s.queues
	if q.newest == 0 || q.sealing || queues.blocks[q.newest].epoch <= q.covered() {
		return nil
	}
	number, stream := q.epoch, q.stream
	q.epoch++
	q.unsealed = 0
	q.sealing = true
	defer func() { queues.find(stream).sealing = false }() // a queue that is being sealed stays its stream's
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

// poll seals all epochs and reclaims those that have completed, after whoever is doing so already. The lock is released while the driver is asked.
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
