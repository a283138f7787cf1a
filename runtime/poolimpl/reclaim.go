package poolimpl

import (
	"cmp"
	"slices"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// reclaimCompleted frees the blocks of all epochs that have completed, ends the ranges in flight that their streams have passed, and returns foreign blocks.
// It returns the number of frees. Only one caller at a time runs it: others would ask about the same fences.
func (e *Engine) reclaimCompleted() (reclaimed int, err error) {
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
	for i := 0; i < len(s.queues.list); i++ {
		count(e.reclaimQueue(i))
	}
	count(reclaimFenced(e, &s.inFlight, e.expireInFlight))
	count(reclaimFenced(e, &s.pendingForeign, e.reclaimForeignAt))
	return reclaimed, err
}

// reclaimQueue frees the blocks of a queue's completed epochs, oldest first. It does not depend on other queues.
func (e *Engine) reclaimQueue(i int) (reclaimed int, err error) {
	queues := &e.streams.queues
	for len(queues.list[i].sealed) > 0 {
		q := &queues.list[i]
		first := q.sealed[0]
		done := !queues.holds(q, first.number) // its blocks were allocated again
		if !done {
			if done, err = e.streams.isDone(first.fence); !done {
				return reclaimed, err
			}
		}
		q = &queues.list[i]
		if len(q.sealed) == 0 || q.sealed[0] != first {
			continue // another caller has reclaimed it meanwhile
		}
		reclaimed += e.reclaimEpochs(q, 1)
	}
	return reclaimed, nil
}

// reclaimEpochs frees the blocks of a queue's first epochs, whose fences the stream has passed. Afterwards q may be stale: the caller looks the queue up
// again.
func (e *Engine) reclaimEpochs(q *streamQueue, epochs int) (reclaimed int) {
	var vacated []vacancy
	e.streams.dropFences(q.sealed[:epochs])
	for b := range e.streams.queues.takeEpochs(q, epochs) {
		if slot, v := e.core.stream.Reclaim(b.addr, b.bytes); v == Emptied {
			vacated = append(vacated, vacancy{slot, b.addr, b.bytes})
		}
		reclaimed++
	}
	e.returned(reclaimed, vacated)
	return reclaimed
}

// passedFence ends what a fence covers, after the caller has waited for the fence.
func (e *Engine) passedFence(fence Fence) {
	for i := range e.streams.queues.list {
		q := &e.streams.queues.list[i]
		if at := slices.IndexFunc(q.sealed, func(s epoch) bool { return s.fence == fence }); at >= 0 {
			e.reclaimEpochs(q, at+1)
			return
		}
	}
	if at := fencedAt(e.streams.inFlight, fence); at >= 0 {
		e.expireInFlight(at)
	}
	if at := fencedAt(e.streams.pendingForeign, fence); at >= 0 {
		e.reclaimForeignAt(at)
	}
}

// returned follows up frees that stream work no longer delays: it serves waiters, and follows the trim policy where the blocks were.
func (e *Engine) returned(frees int, vacated []vacancy) {
	if frees > 0 {
		e.streams.reclaimed += uint64(frees)
		e.wakeNext()
	}
	for _, v := range vacated {
		e.memory.layout.emptied(v)
	}
}

// fenced is something that ends once a stream has passed a fence; 0: the fence is not recorded yet.
type fenced interface{ until() Fence }

// fencedAt returns the index of the element with a fence, -1 if it has ended.
func fencedAt[T fenced](list []T, fence Fence) int {
	return slices.IndexFunc(list, func(x T) bool { return x.until() == fence })
}

// reclaimFenced asks about the fence of each element of a list, and ends the elements whose fence the stream has passed. It returns the number of frees, as
// reported by end.
func reclaimFenced[T fenced](e *Engine, list *[]T, end func(at int) (frees int)) (reclaimed int, err error) {
	for i := 0; i < len(*list); {
		fence := (*list)[i].until()
		if fence == 0 {
			i++
			continue
		}
		done, failed := e.streams.isDone(fence)
		at := fencedAt(*list, fence)
		switch {
		case at < 0: // another caller has ended it meanwhile
		case done:
			reclaimed += end(at)
			i = at
		default:
			i = at + 1
			if err == nil {
				err = failed
			}
		}
	}
	return reclaimed, err
}

// pendingFrees adds up the pending frees of each stream, most bytes first.
func (s *streams) pendingFrees() []poolrt.PendingFrees {
	var all []poolrt.PendingFrees
	count := func(on Stream, blocks, bytes int64) {
		at := slices.IndexFunc(all, func(p poolrt.PendingFrees) bool { return p.Stream == on.ID && p.Device == on.Device })
		if at < 0 {
			at = len(all)
			all = append(all, poolrt.PendingFrees{Stream: on.ID, Device: on.Device})
		}
		all[at].Blocks += blocks
		all[at].Bytes += bytes
	}
	queues := &s.queues
	queues.flush()
	for i := range queues.list {
		for b := queues.list[i].oldest; b != 0; b = queues.blocks[b].newer {
			count(queues.list[i].stream, 1, int64(queues.blocks[b].bytes))
		}
	}
	for i := range s.inFlight {
		f := &s.inFlight[i]
		bytes := int64(0)
		for _, r := range f.ranges {
			bytes += int64(r.Size)
		}
		count(f.stream, int64(f.frees), bytes)
	}
	for _, f := range s.pendingForeign {
		bytes := int64(f.bytes)
		if f.borrowing != nil {
			bytes = 0 // the block is in no memory of this pool
		}
		count(f.stream, 1, bytes)
	}
	slices.SortFunc(all, func(a, b poolrt.PendingFrees) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Stream, b.Stream))
	})
	return all
}
