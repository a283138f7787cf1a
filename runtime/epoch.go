package runtime

import "slices"

// sealEpochs closes the open epoch of each lane that has blocks in it. A stream that cannot be marked does not keep others from it.
func (e *Engine) sealEpochs() (err error) {
	e.streams.queues.flush()
	for i := 0; i < len(e.streams.queues.list); i++ { // lanes may come meanwhile
		if failed := e.sealEpoch(&e.streams.queues.list[i]); err == nil {
			err = failed
		}
	}
	return err
}

// sealEpoch closes the open epoch of a lane, if there are blocks in it. n is of no use afterwards: lanes move when others come
// while the lock is released.
func (e *Engine) sealEpoch(q *streamQueue) error {
	if q.newest == 0 || q.sealing || e.streams.queues.blocks[q.newest].epoch <= q.covered() {
		return nil
	}
	number, s := q.epoch, q.stream
	q.epoch++
	q.unsealed = 0
	q.sealing = true
	defer func() { e.streams.queues.find(s).sealing = false }() // a busy lane stays its stream's
	fence, err := e.recordFence(s)
	if err != nil {
		return err // a later mark will cover the epoch
	}
	if q = e.streams.queues.find(s); e.streams.queues.holds(q, number) {
		q.sealed = append(q.sealed, epoch{number, fence})
	} else {
		e.dropFence(fence)
	}
	return nil
}

// poll closes all epochs and retires those that have completed, after whoever does so already. The lock is released while the driver is
// asked.
func (e *Engine) poll() (reclaimed int, err error) {
	if e.core.stream == nil {
		return 0, nil
	}
	for e.streams.polling && e.awaitDriver() {
	}
	err = e.sealEpochs()
	for e.streams.polling && e.awaitDriver() {
	}
	n, failed := e.reclaimCompleted()
	if err == nil {
		err = failed
	}
	e.streams.err = err
	return n, err
}

// reclaimCompleted frees the blocks of all epochs that have completed, and forgets the hot places that streams have passed. It returns how
// many frees that were. One caller asks the driver at a time: others would ask for the same marks.
func (e *Engine) reclaimCompleted() (reclaimed int, err error) {
	if e.streams.polling {
		return 0, nil
	}
	e.streams.polling = true
	defer func() {
		e.streams.polling = false
		e.streams.answered.Broadcast()
	}()
	for i := 0; i < len(e.streams.queues.list); i++ {
		n, failed := e.reclaimQueue(i)
		reclaimed += n
		if err == nil {
			err = failed
		}
	}
	for _, reclaim := range []func() (int, error){e.expireInFlight, e.reclaimForeign} {
		n, failed := reclaim()
		reclaimed += n
		if err == nil {
			err = failed
		}
	}
	return reclaimed, err
}

// reclaimQueue frees the blocks of a lane's completed epochs, the oldest first. A lane never waits for another.
func (e *Engine) reclaimQueue(i int) (reclaimed int, err error) {
	for len(e.streams.queues.list[i].sealed) > 0 {
		q := &e.streams.queues.list[i]
		first := q.sealed[0]
		done := !e.streams.queues.holds(q, first.number) // its blocks were taken again
		if !done {
			if done, err = e.isDone(first.fence); !done {
				return reclaimed, err
			}
		}
		q = &e.streams.queues.list[i]
		if len(q.sealed) == 0 || q.sealed[0] != first {
			continue // another caller has seen to it meanwhile
		}
		reclaimed += e.passed(q, 1)
	}
	return reclaimed, nil
}

// passed frees the blocks of a lane's first epochs, whose marks the stream has passed. The lane has to be looked up again
// afterwards.
func (e *Engine) passed(q *streamQueue, epochs int) (reclaimed int) {
	last := q.sealed[epochs-1].number
	for _, c := range q.sealed[:epochs] {
		e.dropFence(c.fence)
	}
	q.sealed, q.done = q.sealed[epochs:], last
	var vacated []vacancy
	reclaimed = e.reclaimUpTo(q, last, func(b pendingBlock, slot uint32, v Verdict) {
		if v == Emptied {
			vacated = append(vacated, vacancy{slot, b.addr, b.bytes})
		}
	})
	e.returned(reclaimed, vacated)
	return reclaimed
}

// returned follows up frees that have come back to all: those who wait are served, and the pool's policy is followed for the
// places that they have left.
func (e *Engine) returned(frees int, vacated []vacancy) {
	if frees > 0 {
		e.streams.reclaimed += uint64(frees)
		e.wakeNext()
	}
	for _, v := range vacated {
		e.memory.layout.emptied(v)
	}
}

// reclaimUpTo gives the blocks of a lane up to an epoch back to the core and calls each for them, all without releasing the lock.
func (e *Engine) reclaimUpTo(q *streamQueue, number uint64, each func(b pendingBlock, slot uint32, v Verdict)) (reclaimed int) {
	for e.streams.queues.holds(q, number) {
		b := e.streams.queues.blocks[q.oldest]
		e.streams.queues.remove(q, q.oldest)
		slot, v := e.core.stream.Reclaim(b.addr, b.bytes)
		each(b, slot, v)
		reclaimed++
	}
	return reclaimed
}

// passedFence frees what is pending or hot up to a mark that was waited for.
func (e *Engine) passedFence(fence Fence) {
	for i := range e.streams.queues.list {
		q := &e.streams.queues.list[i]
		if k := slices.IndexFunc(q.sealed, func(c epoch) bool { return c.fence == fence }); k >= 0 {
			e.passed(q, k+1)
			return
		}
	}
	if at := fencedAt(e.streams.inFlight, fence); at >= 0 {
		e.expireInFlightAt(at)
	}
	if at := fencedAt(e.foreign.pending, fence); at >= 0 {
		e.reclaimForeignAt(at)
	}
}
