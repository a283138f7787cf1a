package poolimpl

import (
	"fmt"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Driver calls f with the driver's own pool behind the source, nil if there is none, with the lock released. The pool is not closed meanwhile. With first, a
// pool that has not been used is first bound to its device; without it, f is not called for such a pool. Package cuda's functions for generated pools call
// Driver.
func (e *Engine) Driver(first bool, f func(pool any) error) error {
	e.lock()
	defer e.unlockAndNotify()
	return e.use("driver pool", first, f)
}

// use is Driver for an operation named op. The caller holds e.mu.
func (e *Engine) use(op string, first bool, f func(pool any) error) error {
	if first && !e.life.closed {
		if err := e.open(); err != nil {
			return e.newError(op, err)
		}
	}
	switch {
	case e.life.closed:
		return e.newError(op, poolrt.ErrClosed)
	case e.memory.Source == nil:
		return nil
	}
	pool := e.memory.Driver
	var err error
	e.activity.visit(func() { err = f(pool) })
	if err != nil {
		return e.newError(op, err)
	}
	return nil
}

// Assign makes a pool that has not been used the instance on one device of a pool that exists on each device. The options apply to each instance. What the
// pool starts with is reserved on first use. pool stands for the instances on all devices, whose names have one number. Package cuda calls Assign for pools with
// device: each.
func (e *Engine) Assign(pool any, device int, options ...poolrt.Option) error {
	e.lock()
	defer e.unlockAndNotify()
	s := with(e.settings(), options)
	if s.Device != NoDevice {
		return detailed(e.newError("configure", poolrt.ErrUnsupported), "OnDevice: the pool is on every device; its method On chooses one")
	}
	if wrong := e.refuse(s); wrong != nil {
		return wrong.of(e, "configure")
	}
	suffix := ""
	if device >= 0 {
		suffix = fmt.Sprintf(" on device %d", device)
	}
	e.name.take(s.Name, pool, suffix)
	s.Device = device
	e.apply(s)
	return nil
}

// InUse reports whether it is too late for options.
func (e *Engine) InUse() bool {
	e.lock()
	defer e.unlock()
	return e.life.opened || e.activity.binding || e.life.closed
}

// Owns reports whether an address lies in a chunk of the pool or in the pages of a guarded block, or is that of a foreign block in use. Cost: a binary search of the
// chunks, and a look at each guarded block.
func (e *Engine) Owns(addr uint64) bool {
	e.lock()
	defer e.unlock()
	if Debug {
		addr /= e.observed.debug.apart()
	}
	_, found := e.chunks.find(addr)
	_, v := e.core.blockOfDriver(addr)
	return found || v == Freed || e.foreign.has(addr) || e.graphs.of(addr) != nil || e.guards.has(addr)
}

// Attach has a registrar know all chunks of the pool, and each that comes until Detach or the end of the pool. If it fails, the registrar knows none. Attaching again
// changes nothing. Cost: a call of Register for each chunk.
func (e *Engine) Attach(r Registrar) error {
	e.lock()
	known, closed := e.memory.registrars, e.life.closed
	e.unlock()
	switch {
	case known == nil:
		return detailed(e.newError("attach", poolrt.ErrUnsupported), "the pool file has no registered: true")
	case closed:
		return e.newError("attach", poolrt.ErrClosed)
	}
	if err := known.attach(r); err != nil {
		return e.newError("attach", err)
	}
	return nil
}

// Detach has a registrar forget the chunks of the pool. What it refuses to forget stays known: Detach can be called again. A registrar that is not attached is no error.
func (e *Engine) Detach(r Registrar) error {
	e.lock()
	known := e.memory.registrars
	e.unlock()
	if known == nil {
		return nil
	}
	if err := known.detach(r); err != nil {
		return e.newError("detach", err)
	}
	return nil
}
