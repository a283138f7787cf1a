package runtime

import "fmt"

// Option changes one pool from what its pool file says, when it is created.
type Option func(*settings)

type settings struct {
	name   string
	limit  int64
	device int
}

// WithName gives the pool another name, for errors, events and statistics.
func WithName(name string) Option { return func(s *settings) { s.name = name } }

// WithLimit lowers the pool's limit to the given number of bytes.
func WithLimit(bytes int64) Option { return func(s *settings) { s.limit = bytes } }

// OnDevice puts the pool on a device. Pools of host memory and of numbers are on none and refuse it.
func OnDevice(index int) Option { return func(s *settings) { s.device = index } }

const noDevice = -1 << 31

// Open applies options to a pool that has not been used, and reserves what it starts with. A pool that is used without
// Open opens itself as its pool file says.
func (e *Engine) Open(options ...Option) error {
	e.lock()
	defer e.finish()
	if e.opened || e.closed {
		err := e.newError("configure", ErrLive)
		err.Detail = "the pool is in use already"
		return err
	}
	s := settings{name: e.name, limit: e.limit, device: noDevice}
	for _, o := range options {
		o(&s)
	}
	if err := e.apply(s); err != nil {
		return err
	}
	e.open()
	if e.badItem != nil {
		return e.newError("open", e.badItem)
	}
	if err := e.prime(); err != nil {
		e.trim(0)
		return err
	}
	return nil
}

func (e *Engine) apply(s settings) error {
	switch {
	case s.device != noDevice:
		err := e.newError("configure", ErrUnsupported)
		err.Detail = fmt.Sprintf("allocator %s is on no device", e.config.Allocator)
		return err
	case s.limit < 0 || s.limit > e.limit:
		err := e.newError("configure", ErrBadSize)
		err.Request = s.limit
		err.Detail = "WithLimit can only lower the limit"
		return err
	}
	e.name, e.limit = s.name, s.limit
	return nil
}
