package runtime

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
