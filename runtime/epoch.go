package runtime

import "slices"

// closeEpochs closes the open epoch of each lane that has blocks in it. A stream that cannot be marked does not keep others from it.
func (e *Engine) closeEpochs() (err error) {
	e.lanes.settle()
	for i := 0; i < len(e.lanes.lanes); i++ { // lanes may come meanwhile
		if failed := e.closeEpoch(&e.lanes.lanes[i]); err == nil {
			err = failed
		}
	}
	return err
}

// closeEpoch closes the open epoch of a lane, if there are blocks in it. n is of no use afterwards: lanes move when others come
// while the lock is released.
func (e *Engine) closeEpoch(n *lane) error {
	if n.newest == 0 || n.busy || e.lanes.blocks[n.newest].epoch <= n.covered() {
		return nil
	}
	number, s := n.epoch, n.stream
	n.epoch++
	n.fresh = 0
	n.busy = true
	defer func() { e.lanes.find(s).busy = false }() // a busy lane stays its stream's
	mark, err := e.record(s)
	if err != nil {
		return err // a later mark will cover the epoch
	}
	if n = e.lanes.find(s); e.lanes.holds(n, number) {
		n.closed = append(n.closed, epoch{number, mark})
	} else {
		e.drop(mark)
	}
	return nil
}

// poll closes all epochs and retires those that have completed, after whoever does so already. The lock is released while the driver is
// asked.
func (e *Engine) poll() (retired int, err error) {
	if e.parking == nil {
		return 0, nil
	}
	for e.polling && e.awaitCall() {
	}
	err = e.closeEpochs()
	for e.polling && e.awaitCall() {
	}
	n, failed := e.retireCompleted()
	if err == nil {
		err = failed
	}
	e.trouble = err
	return n, err
}

// retireCompleted frees the blocks of all epochs that have completed, and forgets the hot places that streams have passed. It returns how
// many frees that were. One caller asks the driver at a time: others would ask for the same marks.
func (e *Engine) retireCompleted() (retired int, err error) {
	if e.polling {
		return 0, nil
	}
	e.polling = true
	defer func() {
		e.polling = false
		e.silent.Broadcast()
	}()
	for i := 0; i < len(e.lanes.lanes); i++ {
		n, failed := e.retireLane(i)
		retired += n
		if err == nil {
			err = failed
		}
	}
	for _, rest := range []func() (int, error){e.coolDown, e.retireLoans} {
		n, failed := rest()
		retired += n
		if err == nil {
			err = failed
		}
	}
	return retired, err
}

// retireLane frees the blocks of a lane's completed epochs, the oldest first. A lane never waits for another.
func (e *Engine) retireLane(i int) (retired int, err error) {
	for len(e.lanes.lanes[i].closed) > 0 {
		n := &e.lanes.lanes[i]
		first := n.closed[0]
		done := !e.lanes.holds(n, first.number) // its blocks were taken again
		if !done {
			if done, err = e.isDone(first.mark); !done {
				return retired, err
			}
		}
		n = &e.lanes.lanes[i]
		if len(n.closed) == 0 || n.closed[0] != first {
			continue // another caller has seen to it meanwhile
		}
		retired += e.passed(n, 1)
	}
	return retired, nil
}

// passed frees the blocks of a lane's first epochs, whose marks the stream has passed. The lane has to be looked up again
// afterwards.
func (e *Engine) passed(n *lane, epochs int) (retired int) {
	last := n.closed[epochs-1].number
	for _, c := range n.closed[:epochs] {
		e.drop(c.mark)
	}
	n.closed, n.done = n.closed[epochs:], last
	var vacated []vacancy
	retired = e.retireUpTo(n, last, func(b parkedBlock, slot uint32, v Verdict) {
		if v == Emptied {
			vacated = append(vacated, vacancy{slot, b.addr, b.bytes})
		}
	})
	e.returned(retired, vacated)
	return retired
}

// returned follows up frees that have come back to all: those who wait are served, and the pool's policy is followed for the
// places that they have left.
func (e *Engine) returned(frees int, vacated []vacancy) {
	if frees > 0 {
		e.retired += uint64(frees)
		e.advance()
	}
	for _, v := range vacated {
		e.emptied(v)
	}
}

// retireUpTo gives the blocks of a lane up to an epoch back to the core and calls each for them, all without releasing the lock.
func (e *Engine) retireUpTo(n *lane, number uint64, each func(b parkedBlock, slot uint32, v Verdict)) (retired int) {
	for e.lanes.holds(n, number) {
		b := e.lanes.blocks[n.oldest]
		e.lanes.remove(n, n.oldest)
		slot, v := e.parking.Retire(b.addr, b.bytes)
		each(b, slot, v)
		retired++
	}
	return retired
}

// passedMark frees what is parked or hot up to a mark that was waited for.
func (e *Engine) passedMark(m Mark) {
	for i := range e.lanes.lanes {
		n := &e.lanes.lanes[i]
		if k := slices.IndexFunc(n.closed, func(c epoch) bool { return c.mark == m }); k >= 0 {
			e.passed(n, k+1)
			return
		}
	}
	if at := markedAt(e.hot, m); at >= 0 {
		e.cool(at)
	}
	if at := markedAt(e.loans.parked, m); at >= 0 {
		e.retireLoan(at)
	}
}
