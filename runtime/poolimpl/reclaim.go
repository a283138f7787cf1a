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

// reclaim frees pending blocks of so many bytes each. It calls see for those with which a chunk or a page became empty.
func (c *cores) reclaim(addrs []uint64, bytes uint64, see func(vacancy)) {
	for len(addrs) > 0 {
		n, slot, v := 1, uint32(0), Freed
		if c.gathers != nil {
			n, slot, v = c.gathers.ReclaimRun(addrs, bytes)
		} else {
			slot, v = c.stream.Reclaim(addrs[0], bytes)
		}
		if v == Emptied {
			see(vacancy{slot, addrs[n-1], bytes})
		}
		addrs = addrs[n:]
	}
}

// freedBlocks are blocks in the order of their frees.
type freedBlocks struct {
	addrs []uint64
	runs  []blockRun
}

// blockRun is how many blocks of one size follow each other.
type blockRun struct {
	blocks int
	bytes  uint64 // of each
}

// add adds blocks of one size.
func (l *freedBlocks) add(addrs []uint64, bytes uint64) {
	l.addrs = append(l.addrs, addrs...)
	if k := len(l.runs); k > 0 && l.runs[k-1].bytes == bytes {
		l.runs[k-1].blocks += len(addrs)
	} else {
		l.runs = append(l.runs, blockRun{len(addrs), bytes})
	}
}

// reclaim frees the blocks in the core. Memory that becomes empty is followed up when the streams have passed the blocks: by passedMark.
func (l *freedBlocks) reclaim(core *cores) {
	rest := l.addrs
	for _, r := range l.runs {
		core.reclaim(rest[:r.blocks], r.bytes, func(vacancy) {})
		rest = rest[r.blocks:]
	}
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

// foreignAt returns the index of the pending foreign block with a fence, -1 if it was returned.
func (s *streams) foreignAt(fence Fence) int {
	return slices.IndexFunc(s.pendingForeign, func(p *pendingForeign) bool { return p.fence == fence })
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
