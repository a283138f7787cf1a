package cuda

import (
	"sync"
	"sync/atomic"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/driver"
)

// primaries are the primary contexts that this process has retained, by device. They are never released: other libraries in the process use them, and
// memory that a pool holds belongs to them.
type primaries struct {
	context [maxDevices]atomic.Uintptr
	mu      sync.Mutex // held while one is retained
}

// maxDevices is more than any driver shows to a process.
const maxDevices = 256

var retained primaries

// table returns the function table and the context of a device, which it retains on first use.
func (d Device) table() (abi.Driver, abi.Context, error) {
	t := driver.Table()
	if uint(d) < maxDevices {
		if c := retained.context[d].Load(); c != 0 {
			return t, abi.Context(c), nil
		}
	}
	c, err := retained.retain(t, d)
	return t, c, err
}

// device returns the device of a primary context.
func (p *primaries) device(ctx abi.Context) (Device, bool) {
	for d := range p.context {
		if p.context[d].Load() == uintptr(ctx) {
			return Device(d), true
		}
	}
	return 0, false
}

func (p *primaries) retain(t abi.Driver, d Device) (abi.Context, error) {
	const op = "DevicePrimaryCtxRetain"
	if uint(d) >= maxDevices {
		return 0, failure(abi.InvalidDevice, op, d, 0, "no such device")
	}
	if err := Probe(); err != nil {
		return 0, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.context[d].Load(); c != 0 {
		return abi.Context(c), nil
	}
	c, r := t.DevicePrimaryCtxRetain(int(d))
	if r != abi.Success {
		return 0, failure(r, op, d, 0, "")
	}
	p.context[d].Store(uintptr(c))
	return c, nil
}

// PrimaryContext returns the handle of the device's primary context (CUcontext), for use with other bindings. It stays valid for the
// life of the process; do not release it.
func (d Device) PrimaryContext() (uintptr, error) {
	_, c, err := d.table()
	return uintptr(c), err
}
