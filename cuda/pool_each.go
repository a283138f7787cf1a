package cuda

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/poolgen/poolgen/internal/inturn"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Each holds the pools of type P behind a generated pool with device: each: one for each device, made on first use. The zero Each is ready
// to use. It is safe for concurrent use; pools with concurrency none are not.
type Each[P any] struct {
	mu      sync.Mutex                // held while a pool is made or options are set
	pools   atomic.Pointer[[]each[P]] // by device; replaced as a whole
	last    atomic.Int32              // the pool that owned the address that was looked up last
	options []poolrt.Option
	closed  bool
}

// each is the pool of one device; its engine is nil if the pool does not exist yet.
type each[P any] struct {
	pool   *P
	engine *poolimpl.Engine
}

// A Maker makes the pool of one more device, without options, for the pool that stands for all.
type Maker[P any] func(root *P) (*P, *poolimpl.Engine)

// On returns the pool of a device. A device that does not exist has one, too, whose calls fail with the error of OnDevice. Except for
// the first call for a device, it costs two loads.
func (e *Each[P]) On(device int, root *P, create Maker[P]) *P {
	at := slot(device)
	if list := e.list(); at < len(list) && list[at].engine != nil {
		return list[at].pool
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	made, _ := e.make(device, root, create)
	return made.pool
}

// slot returns the index of a device's pool. All devices that cannot exist share one.
func slot(device int) int {
	if device == foreignDevice {
		return maxDevices + 1
	}
	return int(min(uint(device), maxDevices))
}

// Here returns the pool of the device whose primary context is current on the calling thread, that of device 0 without a context. While another context
// is current, it returns a pool whose calls fail. It costs a call of the driver.
func (e *Each[P]) Here(root *P, create Maker[P]) *P {
	return e.On(here(), root, create)
}

// here returns the current device, 0 without a driver.
func here() int {
	d, err := currentPrimary()
	if err != nil && !errors.Is(err, poolrt.ErrNoDriver) {
		return foreignDevice
	}
	return int(d) // without a driver, the pool of device 0 reports the error, or has a fallback
}

// make returns the pool of a device, which it makes if there is none. The lock is held.
func (e *Each[P]) make(device int, root *P, create Maker[P]) (each[P], error) {
	at := slot(device)
	list := slices.Clone(e.list())
	for len(list) <= at {
		list = append(list, each[P]{})
	}
	if list[at].engine != nil {
		return list[at], nil
	}
	made := each[P]{}
	made.pool, made.engine = create(root)
	if err := made.engine.Assign(e, device, e.options...); err != nil {
		return made, err
	}
	if e.closed {
		_ = made.engine.Close(func() {}) // it holds nothing
	}
	list[at] = made
	e.pools.Store(&list)
	return made, nil
}

// list returns the existing pools. Callers must not change it.
func (e *Each[P]) list() []each[P] {
	if list := e.pools.Load(); list != nil {
		return *list
	}
	return nil
}

// Open sets the options of the pools of all devices, and opens that of the current one. If that fails, no option is set. Open fails if a
// pool of any device is in use.
func (e *Each[P]) Open(options []poolrt.Option, root *P, create Maker[P]) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range e.list() {
		if p.engine != nil && p.engine.InUse() {
			return p.engine.Open() // says so
		}
	}
	before, pools := e.options, e.pools.Load()
	e.options = slices.Clone(options)
	e.pools.Store(nil)
	made, err := e.make(here(), root, create)
	if err == nil {
		err = made.engine.Open()
	}
	if err != nil {
		_ = made.engine.Close(func() {}) // it is not in use, and holds nothing
		e.options = before
		e.pools.Store(pools)
	}
	return err
}

// Owner returns the pool that an address belongs to, nil if it belongs to none of these pools. It searches the chunks of one pool after the other,
// beginning with the pool that owned the address of the last call.
func (e *Each[P]) Owner(addr uint64) *P {
	list := e.list()
	last := int(e.last.Load())
	if last < len(list) && list[last].engine != nil && list[last].engine.Owns(addr) {
		return list[last].pool
	}
	for i, p := range list {
		if p.engine != nil && i != last && p.engine.Owns(addr) {
			e.last.Store(int32(i))
			return p.pool
		}
	}
	return nil
}

// Poll polls the pools of all devices.
func (e *Each[P]) Poll() (reclaimed int) {
	for _, p := range e.list() {
		if p.engine != nil {
			reclaimed += p.engine.Poll()
		}
	}
	return reclaimed
}

// Leaks lists live blocks in the pools of all devices, in programs built with the tag pooldebug.
func (e *Each[P]) Leaks() (all []poolrt.Leak) {
	for _, p := range e.list() {
		if p.engine != nil {
			all = append(all, p.engine.Leaks()...)
		}
	}
	return all
}

// Snapshot lists the content of the pools of all devices.
func (e *Each[P]) Snapshot() *poolrt.Snapshot {
	var engines []*poolimpl.Engine
	for _, p := range e.list() {
		if p.engine != nil {
			engines = append(engines, p.engine)
		}
	}
	return poolimpl.SnapshotOf(engines...)
}

// Close closes the pools of all devices with a function, and those that are made later. If blocks of any are live, it closes none and
// returns that one's error, unless force is set.
func (e *Each[P]) Close(force bool, shut func(*P) error) error {
	list := e.list()
	for _, p := range list {
		if force || p.engine == nil || p.engine.Stats().Live == 0 {
			continue
		}
		if err := shut(p.pool); err != nil {
			return err
		}
	}
	e.mu.Lock()
	e.closed = true
	list = e.list()
	e.mu.Unlock()
	var errs []error
	inturn.Call(list, func(p each[P]) {
		if p.engine != nil {
			errs = append(errs, shut(p.pool))
		}
	})
	err := poolimpl.Join(errs...)
	if errors.Is(err, poolrt.ErrLive) { // blocks were allocated meanwhile
		e.mu.Lock()
		e.closed = false
		e.mu.Unlock()
	}
	return err
}

// FreeRuns frees blocks in runs that belong to one pool, also if an event hook panics meanwhile, and joins the errors.
func FreeRuns[P, B any](blocks []B, owner func(B) *P, free func(*P, []B) error) error {
	var errs []error
	defer func() {
		if len(blocks) > 0 { // an event hook has panicked
			_ = FreeRuns(blocks, owner, free)
		}
	}()
	for len(blocks) > 0 {
		p, n := owner(blocks[0]), 1
		for n < len(blocks) && owner(blocks[n]) == p {
			n++
		}
		run := blocks[:n]
		blocks = blocks[n:]
		errs = append(errs, free(p, run))
	}
	return poolimpl.Join(errs...)
}
