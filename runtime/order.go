package runtime

import goruntime "runtime"

// ParkingCore is the core of a pool that is ordered with streams: blocks can be parked in it. A parked block is not live, so that freeing
// it is refused as freeing it twice; but it takes up its place as if it were.
type ParkingCore interface {
	Core
	// Park makes a live block a parked one. It counts as freed. The verdict is that of a free.
	Park(addr, bytes uint64) Verdict
	// Unpark makes a parked block live again and says where it is. It counts as handed out.
	Unpark(addr, bytes uint64) (slot uint32, off uint64)
	// Retire frees a parked block. It was counted when it was parked.
	Retire(addr, bytes uint64) (slot uint32, v Verdict)
	// Undo takes back a block as if it had never been handed out.
	Undo(addr, bytes uint64) (slot uint32, v Verdict)
}

// Park keeps a block that the core has parked until the stream has passed. It reports whether CloseDue should be
// called once the lock is released. Part of the fast path, under the lock.
func (e *Engine) Park(s Stream, addr, bytes uint64) (due bool) { return e.lanes.Park(s, addr, bytes) }

// Unpark returns the address of the block of exactly so many bytes that was freed on the stream last; the core has to be told.
// Part of the fast path, under the lock.
func (e *Engine) Unpark(s Stream, bytes uint64) (addr uint64, ok bool) {
	return e.lanes.Unpark(s, bytes)
}

// CloseDue closes the epochs that have gathered enough frees, and retires what has completed. The caller holds no lock. An error of
// the driver is not reported: blocks stay parked until a later mark covers them.
func (e *Engine) CloseDue() {
	e.lock()
	defer e.finish()
	for i := 0; i < len(e.lanes.lanes); i++ { // lanes may come meanwhile
		if n := &e.lanes.lanes[i]; n.fresh >= epochSize {
			_ = e.closeEpoch(n)
		}
	}
	_, _ = e.retireCompleted()
}

// Poll does what is due: it retires the frees whose streams have passed them, and gives back chunks that have been empty for long
// enough. It returns how many frees it retired.
func (e *Engine) Poll() int {
	e.lock()
	defer e.finish()
	if e.closed {
		return 0
	}
	n, _ := e.poll()
	e.trimIdle()
	return n
}

// tryParked takes a block that was freed on the request's own stream.
func (e *Engine) tryParked(r request) (Block, bool) {
	if r.stream == nil || e.parking == nil {
		return Block{}, false
	}
	addr, ok := e.lanes.Unpark(*r.stream, r.bytes)
	if !ok {
		return Block{}, false
	}
	if addr&(r.align-1) != 0 { // back to its lane, as if freed last
		e.lanes.Park(*r.stream, addr, r.bytes)
		return Block{}, false
	}
	return e.blockAt(e.parking.Unpark(addr, r.bytes)), true
}

// recover looks for memory among the frees on streams before the pool grows: those that have completed, as far as the driver
// was asked to mark them, then all of the request's own stream. It reports whether the core has more than before.
func (e *Engine) recover(r request) bool {
	if e.parking == nil {
		return false
	}
	if n, _ := e.retireCompleted(); n > 0 {
		return true
	}
	return r.stream != nil && !e.config.Exact && e.absorbOwn(*r.stream)
}

// recoverAll does so when the pool cannot grow: with every free that there was, on any stream. An allocation on a stream need not
// wait here for what others freed: its stream will.
func (e *Engine) recoverAll(r request) bool {
	if e.parking == nil {
		return false
	}
	if n, _ := e.poll(); n > 0 {
		return true
	}
	return r.stream != nil && !e.config.Exact && e.absorbAll()
}

// drain waits until every free has completed, and retires them all. The lock is released meanwhile.
func (e *Engine) drain() error {
	if e.parking == nil {
		return nil
	}
	for e.lanes.Count() > 0 || len(e.hot) > 0 {
		if err := e.closeEpochs(); err != nil {
			return err
		}
		if err := e.syncOldest(); err != nil {
			return err
		}
		if _, err := e.retireCompleted(); err != nil {
			return err
		}
	}
	return nil
}

// syncOldest waits for one mark that frees are parked behind.
func (e *Engine) syncOldest() (err error) {
	mark := Mark(0)
	for i := range e.lanes.lanes {
		if n := &e.lanes.lanes[i]; len(n.closed) > 0 {
			mark = n.closed[0].mark
		}
	}
	if len(e.hot) > 0 {
		mark = e.hot[0].mark
	}
	e.outside(func() {
		if mark != 0 {
			err = e.memory.Timeline.Sync(mark)
		} else {
			goruntime.Gosched() // another caller is about to get a mark
		}
	})
	return err
}

// poll closes all epochs and retires those that have completed. The lock is released while the driver is asked.
func (e *Engine) poll() (retired int, err error) {
	if e.parking == nil {
		return 0, nil
	}
	err = e.closeEpochs()
	n, failed := e.retireCompleted()
	if err == nil {
		err = failed
	}
	return n, err
}

// closeEpochs closes the open epoch of each lane that has blocks in it.
func (e *Engine) closeEpochs() (err error) {
	e.lanes.settle()
	for i := 0; i < len(e.lanes.lanes); i++ { // lanes may come meanwhile
		if failed := e.closeEpoch(&e.lanes.lanes[i]); err == nil {
			err = failed
		}
	}
	return err
}

// closeEpoch closes the open epoch of a lane, if there are blocks in it.
func (e *Engine) closeEpoch(n *lane) error {
	if n.newest == 0 || n.busy || e.lanes.blocks[n.newest].epoch <= n.covered() {
		return nil
	}
	number, s := n.epoch, n.stream
	n.epoch++
	n.fresh = 0
	n.busy = true
	var mark Mark
	var err error
	e.outside(func() { mark, err = e.memory.Timeline.Record(s) })
	n = e.lanes.lane(s) // it may have moved
	n.busy = false
	if err == nil {
		n.closed = append(n.closed, epoch{number, mark})
	}
	return err
}

// covered returns the number of the last epoch that a mark covers.
func (n *lane) covered() uint64 {
	if k := len(n.closed); k > 0 {
		return n.closed[k-1].number
	}
	return n.done
}

// retireCompleted frees the blocks of all epochs that have completed. One caller asks the driver at a time: others would ask
// for the same marks.
func (e *Engine) retireCompleted() (retired int, err error) {
	if e.polling {
		return 0, nil
	}
	e.polling = true
	defer func() { e.polling = false }()
	for i := 0; i < len(e.lanes.lanes); i++ {
		n, failed := e.retireLane(i)
		retired += n
		if err == nil {
			err = failed
		}
	}
	if failed := e.coolDown(); err == nil {
		err = failed
	}
	if retired > 0 {
		e.advance()
	}
	return retired, err
}

// retireLane frees the blocks of a lane's completed epochs, the oldest first. A lane never waits for another.
func (e *Engine) retireLane(i int) (retired int, err error) {
	for len(e.lanes.lanes[i].closed) > 0 {
		first := e.lanes.lanes[i].closed[0]
		if done, err := e.isDone(first.mark); !done || err != nil {
			return retired, err
		}
		n := &e.lanes.lanes[i]
		if len(n.closed) == 0 || n.closed[0] != first {
			continue // it was absorbed meanwhile
		}
		n.closed = n.closed[1:]
		n.done = first.number
		e.forget(first.mark)
		retired += e.retireUpTo(n, first.number, nil)
	}
	return retired, nil
}

// retireUpTo frees the blocks of a lane up to an epoch, and calls seen with each if it is not nil.
func (e *Engine) retireUpTo(n *lane, number uint64, seen func(addr, bytes uint64)) (retired int) {
	for n.oldest != 0 {
		b := e.lanes.blocks[n.oldest]
		if b.epoch > number {
			break
		}
		e.lanes.remove(n, n.oldest)
		if seen != nil {
			seen(b.addr, b.bytes)
		}
		if slot, v := e.parking.Retire(b.addr, b.bytes); v == Emptied && seen == nil {
			e.emptied(slot)
		}
		retired++
	}
	return retired
}

func (e *Engine) isDone(m Mark) (done bool, err error) {
	e.outside(func() { done, err = e.memory.Timeline.Done(m) })
	return done, err
}

func (e *Engine) forget(m Mark) {
	e.outside(func() { e.memory.Timeline.Forget(m) })
}
