package runtime

import "errors"

// Driver calls f with the driver's own pool that chunks come from, nil where there is none, and keeps the pool from being closed
// meanwhile. A pool that has not been used is tied to its device before if first is set; otherwise f is not called. Package cuda's functions
// for generated pools call it.
func (e *Engine) Driver(first bool, f func(pool any) error) error {
	e.lock()
	defer e.unlockAndNotify()
	return e.use("driver pool", first, f)
}

// use is Driver for an operation of that name, under the lock.
func (e *Engine) use(op string, first bool, f func(pool any) error) error {
	if first && !e.life.closed {
		if err := e.open(); err != nil {
			return e.newError(op, err)
		}
	}
	switch {
	case e.life.closed:
		return e.newError(op, ErrClosed)
	case e.memory.Source == nil:
		return nil
	}
	if err := e.visit(f); err != nil {
		return e.newError(op, err)
	}
	return nil
}

// visit calls f with the lock released.
func (e *Engine) visit(f func(pool any) error) (err error) {
	e.activity.driverCalls++
	defer func() {
		e.activity.driverCalls--
		e.wakeIdle()
	}()
	pool := e.memory.Driver
	e.unlocked(func() { err = f(pool) })
	return err
}

// Clear has a block cleared that Go code cannot address, before it is handed out, and returns when it is. The caller holds no lock.
func (e *Engine) Clear(addr, bytes uint64) error {
	return e.ClearBatch(1, bytes, func(int) uint64 { return addr })
}

// ClearBatch is Clear for n blocks of so many bytes each, which are waited for once.
func (e *Engine) ClearBatch(n int, bytes uint64, addr func(i int) uint64) error {
	if n == 0 {
		return nil
	}
	e.lock()
	zero, zeroed := e.memory.Zero, e.memory.Zeroed
	e.unlock()
	if zero == nil {
		return e.NotCleared(bytes, ErrClosed)
	}
	var err error
	for i := 0; i < n && err == nil; i++ {
		c := Chunk{Addr: addr(i), Size: int64(bytes)}
		if Debug {
			c.Addr *= e.spacing()
		}
		err = zero(c)
	}
	if err = errors.Join(err, zeroed()); err != nil {
		return e.NotCleared(bytes, err)
	}
	return nil
}

// NotCleared is the failure of an allocation whose block could not be cleared.
func (e *Engine) NotCleared(bytes uint64, err error) error {
	e.lock()
	defer e.unlockAndNotify()
	return e.fail(request{bytes: bytes}, err)
}
