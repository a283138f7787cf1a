package runtime

import (
	"fmt"

	"github.com/poolgen/poolgen/runtime/internal/registry"
)

// Assign makes a pool that was not used one of several alike, on the device: the options hold for each of them. What the pool starts with is reserved on first
// use. Package cuda calls it for pools with device: each.
func (e *Engine) Assign(device int, options ...Option) error {
	e.lock()
	defer e.unlockAndNotify()
	s := registry.Settings{Name: e.Name(), Limit: e.limits.limit, Device: NoDevice}
	for _, o := range options {
		if o != nil {
			o(&s)
		}
	}
	if s.Device != NoDevice {
		err := e.newError("configure", ErrUnsupported)
		err.Detail = "OnDevice: the pool is on every device; its method On chooses one"
		return err
	}
	if err := e.refuse(s); err != nil {
		return err
	}
	name := fmt.Sprintf("%s on device %d", s.Name, device)
	e.name.Store(&name)
	e.limits.limit, e.limits.bound, e.life.device, e.figures.meter = s.Limit, s.Limit, device, meter{s.Meter}
	return nil
}

// InUse reports whether it is too late for options.
func (e *Engine) InUse() bool {
	e.lock()
	defer e.unlock()
	return e.life.opened || e.activity.binding || e.life.closed
}

// Owns reports whether an address lies in a chunk of the pool, or is that of a block which the pool has from elsewhere. Cost: a search in the
// sorted chunks; Config.Siblings must be set.
func (e *Engine) Owns(addr uint64) bool {
	e.lock()
	defer e.unlock()
	if Debug {
		addr /= e.spacing()
	}
	at, found := e.chunks.search(addr)
	if !found && at > 0 {
		c := &e.chunks.list[e.chunks.byAddr[at-1]]
		found = addr-c.Addr < uint64(c.Size)
	}
	return found || e.foreign.has(addr)
}
