package poolimpl

import (
	"cmp"
	"runtime"
	"slices"
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

// stop makes callers on streams wait until queues.resume. It fails if a free is pending, or if a caller is about to reclaim some.
func (s *streams) stop() bool {
	if s.queues.stop()+s.elsewhere() > 0 || s.calls.Load() > 0 {
		s.queues.resume()
		return false
	}
	return true
}

// InFlight reports whether allocations must take the slow path: memory is in flight, or the pool is not awake.
func (s *streams) InFlight() bool { return s.detour }

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

// sealEpochs seals the open epoch of each queue, if the epoch has blocks, and makes the fences that pending foreign blocks lack. If one stream gets no fence, the
// others still do.
func (s *streams) sealEpochs(seal func(*streams, *StreamQueue) error) (err error) {
	for i := 0; i < len(s.queues.list); i++ { // sealing releases the lock, and the list may grow
		if failed := seal(s, s.queues.list[i]); err == nil {
			err = failed
		}
	}
	return cmp.Or(err, s.fenceForeign())
}

// trySeal seals the open epoch of a queue, unless another caller is sealing one.
func (s *streams) trySeal(q *StreamQueue) error {
	_, err := s.driver().seal(q)
	return err
}

// sealAll puts a fence behind all frees of a queue: after other callers that are sealing an epoch, which may not have the last frees.
func (s *streams) sealAll(q *StreamQueue) error {
	for {
		busy, err := s.driver().seal(q)
		if !busy {
			return err
		}
		if !s.awaitDriver() { // the other caller has its fence, and is about to note that
			runtime.Gosched()
		}
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

// fenceForeign makes a fence for each pending foreign block that has none. If one stream gets no fence, the others still do.
func (s *streams) fenceForeign() (err error) {
	for _, p := range slices.Clone(s.pendingForeign) { // recording releases the lock, and the list may change
		if p.fence != 0 {
			continue
		}
		fence, failed := s.driver().record(p.stream)
		switch {
		case failed != nil:
			err = cmp.Or(err, failed)
		case p.fence != 0: // another caller was faster
			s.fences.drop(fence)
		default:
			p.fence = fence
		}
	}
	return err
}

// pendingBorrowed returns the borrowed blocks that were freed on streams.
func (s *streams) pendingBorrowed() (borrowed []borrowedBlock) {
	for _, p := range s.pendingForeign {
		if p.borrowed != nil {
			borrowed = append(borrowed, p.borrowed)
		}
	}
	return borrowed
}

// foreignAt returns the index of the pending foreign block with a fence, -1 if it was returned.
func (s *streams) foreignAt(fence Fence) int {
	return slices.IndexFunc(s.pendingForeign, func(p *pendingForeign) bool { return p.fence == fence })
}
