package runtime

import "fmt"

// Assign makes a pool that was not used one of several alike, on the device: the options hold for each of them. What the pool starts with is reserved on first
// use. Package cuda calls it for pools with device: each.
func (e *Engine) Assign(device int, options ...Option) error {
	e.lock()
	defer e.unlockAndNotify()
	s := settings{name: e.poolName(), limit: e.limits.limit, device: NoDevice}
	for _, o := range options {
		if o != nil {
			o(&s)
		}
	}
	if s.device != NoDevice {
		err := e.newError("configure", ErrUnsupported)
		err.Detail = "OnDevice: the pool is on every device; its method On chooses one"
		return err
	}
	if err := e.refuse(s); err != nil {
		return err
	}
	name := fmt.Sprintf("%s on device %d", s.name, device)
	e.name.Store(&name)
	e.limits.limit, e.limits.bound, e.life.device, e.figures.meter = s.limit, s.limit, device, s.meter
	return nil
}

// InUse reports whether it is too late for options.
func (e *Engine) InUse() bool {
	e.lock()
	defer e.unlock()
	return e.life.opened || e.activity.binding || e.life.closed
}

// Owns reports whether an address lies in a chunk of the pool, or is that of a block which the pool has from elsewhere. Cost: a search in the
// sorted chunks.
func (e *Engine) Owns(addr uint64) bool {
	e.lock()
	defer e.unlock()
	if Debug {
		addr /= e.spacing()
	}
	_, found := e.chunks.find(addr)
	return found || e.foreign.has(addr)
}
