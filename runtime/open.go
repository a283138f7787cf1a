package runtime

import "fmt"

// Open applies options to a pool that has not been used, and reserves what it starts with. If that fails, the pool is
// as it was and may be opened again, unless others have begun to use it meanwhile. A pool that is used without Open opens itself as its pool file says.
func (e *Engine) Open(options ...Option) error {
	e.lock()
	defer e.unlockAndNotify()
	for (e.opening || e.driverUsers > 0) && e.waitIdle() {
	}
	switch {
	case e.closed:
		return e.newError("configure", ErrClosed)
	case e.opened:
		err := e.newError("configure", ErrLive)
		err.Detail = "the pool is in use already"
		return err
	}
	before := settings{name: e.poolName(), limit: e.limit, device: e.device, meter: e.meter}
	s := before
	for _, o := range options {
		if o != nil {
			o(&s)
		}
	}
	if err := e.refuse(s); err != nil {
		return err
	}
	err := e.rebind(s)
	if err != nil {
		return e.newError("configure", err)
	}
	e.name.Store(&s.name)
	e.limit, e.bound, e.device, e.meter = s.limit, s.limit, s.device, s.meter
	err = e.open()
	if err == nil {
		err = e.start()
	}
	if err != nil {
		failed := e.newError("open", err)
		_, _ = e.trim(0)
		if e.inUseByOthers() {
			return failed
		}
		e.config.Budget.leave(e)
		e.opened, e.primed = false, false
		e.name.Store(&before.name)
		e.limit, e.bound, e.device, e.meter = before.limit, before.limit, before.device, before.meter
		if e.reserved == 0 { // else the source did not take a chunk back
			_ = e.unbind()
		}
		return failed
	}
	return nil
}

// inUseByOthers reports whether other callers got to use the pool while it was being opened: it cannot be as it was then.
func (e *Engine) inUseByOthers() bool {
	return e.closed || e.usage().Live > 0 || e.queues.Count() > 0 || e.busy()
}

// rebind unties a pool that was bound when somebody asked for its allocator, if the options are about where it is bound.
func (e *Engine) rebind(s settings) error {
	if s.device == e.device && s.limit == e.limit || e.config.Binder == nil || e.memory.Source == nil {
		return nil
	}
	if e.reserved > 0 {
		return ErrLive
	}
	e.opening = true // nobody may open the pool meanwhile
	defer func() {
		e.opening = false
		e.wakeIdle()
	}()
	return e.unbind()
}

// refuse says what is wrong with settings.
func (e *Engine) refuse(s settings) error {
	switch {
	case s.device != NoDevice && e.config.Binder == nil:
		err := e.newError("configure", ErrUnsupported)
		err.Detail = fmt.Sprintf("allocator %s is on no device", e.config.Allocator)
		return err
	case s.limit < 0 || s.limit > e.limit:
		err := e.newError("configure", ErrBadSize)
		err.Detail = "WithLimit: " + badLimit(s.limit)
		return err
	}
	return nil
}

// open runs once, under the lock, before the first chunk is obtained or an option would come too late.
func (e *Engine) open() error {
	for !e.opened && e.opening && e.waitIdle() {
	}
	if e.opened {
		return nil
	}
	if err := e.bind(); err != nil {
		return err
	}
	e.opened = true
	if e.config.Item != nil {
		e.badItem = checkItem(e.config.Item())
	}
	e.config.Budget.join(e)
	return nil
}

// openLazily opens a pool that is used without Open. What it should start with is then best effort: an allocation that
// can be served is.
func (e *Engine) openLazily() error {
	if err := e.open(); err != nil {
		return err
	}
	if !e.primed {
		_ = e.start()
	}
	return nil
}

// start reserves the chunks that the pool starts with.
func (e *Engine) start() error {
	e.primed = true
	if e.badItem != nil {
		return e.badItem
	}
	r := request{bytes: 1, align: 1, prime: true}
	for e.reserved < e.config.Prime && !e.filled(r) {
		if e.limit-e.reserved < e.need(r) {
			return ErrLimit
		}
		before := e.reserved
		if err := e.grow(&r); err != nil {
			return err
		}
		if e.reserved <= before { // pages have made room for others, which is no gain here
			return ErrLimit
		}
	}
	return nil
}

// filled reports whether the limits allow all that the pool should start with, but leave less than a chunk of it.
func (e *Engine) filled(r request) bool {
	most := min(e.limit, e.config.Budget.Limit())
	return e.config.Prime <= most && most-e.reserved < e.need(r)
}
