package runtime

import (
	"fmt"

	"github.com/poolgen/poolgen/runtime/internal/registry"
)

// Open applies options to a pool that has not been used, and reserves what it starts with. If that fails, the pool is
// as it was and may be opened again, unless others have begun to use it meanwhile. A pool that is used without Open opens itself as its pool file says.
func (e *Engine) Open(options ...Option) error {
	e.lock()
	defer e.unlockAndNotify()
	for (e.activity.binding || e.activity.driverCalls > 0) && e.waitIdle() {
	}
	switch {
	case e.life.closed:
		return e.newError("configure", ErrClosed)
	case e.life.opened:
		err := e.newError("configure", ErrLive)
		err.Detail = "the pool is in use already"
		return err
	}
	before := registry.Settings{Name: e.Name(), Limit: e.limits.limit, Device: e.life.device, Meter: e.figures.meter.Meter}
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
	e.name.Store(&s.Name)
	e.limits.limit, e.limits.bound, e.life.device, e.figures.meter = s.Limit, s.Limit, s.Device, meter{s.Meter}
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
		e.life.opened, e.life.primed = false, false
		e.name.Store(&before.Name)
		e.limits.limit, e.limits.bound, e.life.device, e.figures.meter = before.Limit, before.Limit, before.Device, meter{before.Meter}
		if e.limits.reserved == 0 { // else the source did not take a chunk back
			_ = e.unbind()
		}
		return failed
	}
	return nil
}

// inUseByOthers reports whether other callers got to use the pool while it was being opened: it cannot be as it was then.
func (e *Engine) inUseByOthers() bool {
	return e.life.closed || e.usage().Live > 0 || e.streams.queues.Count() > 0 || e.busy()
}

// rebind unties a pool that was bound when somebody asked for its allocator, if the options are about where it is bound.
func (e *Engine) rebind(s registry.Settings) error {
	if s.Device == e.life.device && s.Limit == e.limits.limit || e.config.Binder == nil || e.memory.Source == nil {
		return nil
	}
	if e.limits.reserved > 0 {
		return ErrLive
	}
	e.activity.binding = true // nobody may open the pool meanwhile
	defer func() {
		e.activity.binding = false
		e.wakeIdle()
	}()
	return e.unbind()
}

// refuse says what is wrong with settings.
func (e *Engine) refuse(s registry.Settings) error {
	switch {
	case s.Device != NoDevice && e.config.Binder == nil:
		err := e.newError("configure", ErrUnsupported)
		err.Detail = fmt.Sprintf("allocator %s is on no device", e.config.Allocator)
		return err
	case s.Limit < 0 || s.Limit > e.limits.limit:
		err := e.newError("configure", ErrBadSize)
		err.Detail = "WithLimit: " + badLimit(s.Limit)
		return err
	}
	return nil
}

// open runs once, under the lock, before the first chunk is obtained or an option would come too late.
func (e *Engine) open() error {
	for !e.life.opened && e.activity.binding && e.waitIdle() {
	}
	if e.life.opened {
		return nil
	}
	if err := e.bind(); err != nil {
		return err
	}
	e.life.opened = true
	if e.config.Item != nil {
		e.life.badItem = checkItem(e.config.Item())
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
	if !e.life.primed {
		_ = e.start()
	}
	return nil
}

// start reserves the chunks that the pool starts with.
func (e *Engine) start() error {
	e.life.primed = true
	if e.life.badItem != nil {
		return e.life.badItem
	}
	r := request{bytes: 1, align: 1, prime: true}
	for e.limits.reserved < e.config.Prime && !e.filled(r) {
		if e.limits.limit-e.limits.reserved < e.need(r) {
			return ErrLimit
		}
		before := e.limits.reserved
		if err := e.grow(&r); err != nil {
			return err
		}
		if e.limits.reserved <= before { // pages have made room for others, which is no gain here
			return ErrLimit
		}
	}
	return nil
}

// filled reports whether the limits allow all that the pool should start with, but leave less than a chunk of it.
func (e *Engine) filled(r request) bool {
	most := min(e.limits.limit, e.config.Budget.Limit())
	return e.config.Prime <= most && most-e.limits.reserved < e.need(r)
}
