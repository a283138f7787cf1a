package poolimpl

import (
	"cmp"
	"slices"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// reclaimCompleted frees the blocks of all epochs that have completed, ends the ranges in flight that their streams have passed, and returns foreign blocks.
// It returns the number of frees. Only one caller at a time runs it: others would ask about the same fences.
func (e onStreams) reclaimCompleted() (reclaimed int, err error) {
	s := &e.streams
	if s.polling {
		return 0, nil
	}
	s.polling = true
	defer func() {
		s.polling = false
		s.answered.Broadcast()
	}()
	count := func(n int, failed error) {
		reclaimed += n
		if err == nil {
			err = failed
		}
	}
	count(e.reclaimInFlight())
	for i := 0; i < len(s.queues.list); i++ { // the lock is released meanwhile, and the list may grow
		q := s.queues.list[i]
		if s.inFlightOf(q.stream) != nil {
			continue // the stream has not passed earlier frees
		}
		frees, vacated, err := e.reclaimQueue(s.driver(), q)
		e.returned(frees, vacated)
		count(frees, err)
	}
	count(e.reclaimForeign())
	return reclaimed, err
}

// reclaimQueue frees the blocks of a queue's completed epochs, oldest first. It does not depend on other queues. The caller calls returned with the result.
func (e onStreams) reclaimQueue(d driver, q *StreamQueue) (frees int, vacated []vacancy, err error) {
	for {
		first, done, err := d.firstDone(q)
		if !done {
			return frees, vacated, err
		}
		n, more := e.reclaimEpochs(q, first)
		frees, vacated = frees+n, append(vacated, more...)
	}
}

// firstDone returns the first sealed epoch of a queue, and whether it has ended: the stream has passed its fence, or its blocks were allocated again.
func (d driver) firstDone(q *StreamQueue) (first epoch, done bool, err error) {
	first, holds, ok := q.pinFirst(&d.streams.fences)
	if !ok {
		return first, false, nil
	}
	defer d.streams.fences.unpin(first.fence)
	if !holds {
		return first, true, nil
	}
	done, err = d.isDone(first.fence)
	return first, done, err
}

// reclaimEpochs frees the blocks of a queue's epochs up to one whose fence the stream has passed, unless another caller has done so. The caller may hold e.mu
// or not; it calls returned with the result.
func (e onStreams) reclaimEpochs(q *StreamQueue, last epoch) (frees int, vacated []vacancy) {
	q.lock()
	defer q.unlock()
	at := slices.Index(q.sealed, last)
	if at < 0 {
		return 0, nil
	}
	e.streams.fences.dropAll(q.sealed[:at+1])
	q.endEpochs(at + 1)
	for addrs, bytes := q.takeRun(); len(addrs) > 0; addrs, bytes = q.takeRun() {
		e.core.reclaim(addrs, bytes, func(v vacancy) { vacated = append(vacated, v) })
		frees += len(addrs)
	}
	return frees, vacated
}

// passedFence ends what a fence covers, after the caller has waited for the fence. [Passed] may be that of several streams.
func (e onStreams) passedFence(fence Fence) {
	for _, q := range e.streams.queues.list {
		if last, ok := q.sealedWith(fence); ok {
			e.returned(e.reclaimEpochs(q, last))
		}
	}
	for _, f := range slices.Clone(e.streams.inFlight) { // a stream leaves the list with its last range
		for _, m := range slices.Backward(f.marks) {
			if m.fence == fence {
				e.passedMark(f, m)
				break
			}
		}
	}
	if at := e.streams.foreignAt(fence); at >= 0 {
		e.reclaimForeignAt(at)
	}
}

// returned follows up frees that stream work no longer delays: it serves waiters, and follows the trim policy where the blocks were.
func (e onStreams) returned(frees int, vacated []vacancy) {
	if frees > 0 {
		e.streams.reclaimed.Add(uint64(frees))
		e.wakeNext()
	}
	for _, v := range vacated {
		e.memory.layout.emptied(v)
	}
}

// passedMark ends what is in flight up to a mark of a stream, and follows the trim policy for chunks that became empty meanwhile. It returns the number of
// frees: 0 if another caller was faster.
func (e onStreams) passedMark(f *inFlight, m mark) (frees int) {
	s := &e.streams
	frees, ranges := f.pass(m, s.fences.drop)
	e.memory.layout.passed(f, m)
	if len(f.marks) == 0 {
		s.inFlight = slices.DeleteFunc(s.inFlight, func(g *inFlight) bool { return g == f })
		s.setDetour()
	}
	s.showInFlight(&e.core)
	var vacated []vacancy
	if e.life.trim.onFree() != nil {
		vacated = e.chunks.vacated(ranges)
	}
	e.returned(frees, vacated)
	return frees
}

// reclaimInFlight asks each stream about its oldest mark, and goes on as long as the stream has passed it.
func (e onStreams) reclaimInFlight() (reclaimed int, err error) {
	for _, f := range slices.Clone(e.streams.inFlight) { // the lock is released meanwhile, and the list may change
		for len(f.marks) > 0 {
			oldest := f.marks[0]
			done, failed := e.streams.driver().isDone(oldest.fence)
			if !done {
				err = cmp.Or(err, failed)
				break
			}
			reclaimed += e.passedMark(f, oldest)
		}
	}
	return reclaimed, err
}

// reclaimForeignAt returns one of the pending blocks to its owner.
func (e onStreams) reclaimForeignAt(at int) (frees int) {
	p := e.streams.pendingForeign[at]
	e.streams.pendingForeign = slices.Delete(e.streams.pendingForeign, at, at+1)
	e.streams.anyForeign.Store(len(e.streams.pendingForeign) > 0)
	e.streams.fences.drop(p.fence)
	defer e.returned(1, nil) // also if an event hook of the lender panics
	_ = e.giveBack(p.foreignBlock)
	return 1
}

// reclaimForeign returns the pending foreign blocks whose streams have passed them. Once a stream has not, it is not asked about its later ones.
func (e onStreams) reclaimForeign() (reclaimed int, err error) {
	var behind []Stream
	for _, p := range slices.Clone(e.streams.pendingForeign) { // the lock is released meanwhile, and the list may change
		if p.fence == 0 || slices.Contains(behind, p.stream) {
			continue
		}
		done, failed := e.streams.driver().isDone(p.fence)
		at := slices.Index(e.streams.pendingForeign, p)
		switch {
		case at < 0: // another caller has returned it meanwhile
		case done:
			reclaimed += e.reclaimForeignAt(at)
		default:
			behind = append(behind, p.stream)
			err = cmp.Or(err, failed)
		}
	}
	return reclaimed, err
}

// pendingFrees adds up the pending frees of each stream, most bytes first. What was in flight and is in use
// again counts where it is now: as live, or in a queue.
func (e onStreams) pendingFrees() []poolrt.PendingFrees {
	s, all := &e.streams, []poolrt.PendingFrees(nil)
	count := func(on Stream, blocks, bytes int64) {
		at := slices.IndexFunc(all, func(p poolrt.PendingFrees) bool { return p.Stream == on.ID && p.Device == on.Device })
		if at < 0 {
			at = len(all)
			all = append(all, poolrt.PendingFrees{Stream: on.ID, Device: on.Device})
		}
		all[at].Blocks += blocks
		all[at].Bytes += bytes
	}
	for _, q := range s.queues.list {
		q.all(func(bytes uint64) { count(q.stream, 1, int64(bytes)) })
	}
	for _, f := range s.inFlight {
		free := map[uint64]int64{} // by the number of the mark
		for _, h := range f.ranges {
			free[h.mark] += e.freeIn(h.Extent)
		}
		for _, m := range f.marks {
			if free[m.number] > 0 {
				count(f.stream, int64(m.frees), free[m.number])
			}
		}
	}
	for _, f := range s.pendingForeign {
		bytes := int64(f.bytes)
		if f.borrowed != nil {
			bytes = 0 // the block is in no memory of this pool
		}
		count(f.stream, 1, bytes)
	}
	slices.SortFunc(all, func(a, b poolrt.PendingFrees) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Stream, b.Stream))
	})
	return all
}

// freeIn returns how many bytes of x are free in the core. Cost: a look at each piece there.
func (e onStreams) freeIn(x Extent) (n int64) {
	for slot := range e.chunks.overlapping(x.Addr, x.Size) {
		base := e.chunks.hot[slot].Addr
		e.core.Walk(slot, max(x.Addr, base)-base, func(p poolrt.Piece) bool {
			from, to := max(base+p.Off, x.Addr), min(base+p.Off+p.Size, x.end())
			if from < to && (p.State == poolrt.PieceFree || p.State == poolrt.PieceCached) {
				n += int64(to - from)
			}
			return base+p.Off < x.end()
		})
	}
	return n
}
