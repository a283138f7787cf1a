package cuda

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Allocator says where the chunks of a pool come from. It is the poolimpl.Binder of generated pools: the first use of a pool chooses the device, and
// an allocator that works there.
type Allocator struct {
	Name     string          // as in pool files: "pinned", "managed", "device", ...; the Binding may name another one
	Kinds    []Kind          // all that may be used
	Fallback []string        // tried in order if that is not supported; "host" is ordinary memory
	Custom   poolimpl.Source // of allocator custom; nil if the pool file does not name it

	// Device is the ordinal, or AnyDevice for the one whose context is current on the goroutine's thread, else device 0.
	Device int
	Peers  []int // devices that get access to the memory; the pool's own device is ignored

	AllPeers bool // Peers are all devices that can have access

	Portable, Mapped, WriteCombined bool // pinned

	Pool      *PoolSettings // device_async, device_pool; nil: the device's current or default pool as it is
	Shareable bool          // device_pool, device_virtual: chunks can be exported

	Registered bool // device_virtual: libraries that exchange memory with other processes, and network adapters, can use chunks
}

// AnyDevice leaves the choice of the device to the thread that first uses the pool.
const AnyDevice = poolimpl.NoDevice

// Bind finds the device and the first allocator that works there.
func (m Allocator) Bind(ask poolimpl.Binding) (poolimpl.Bound, error) {
	var reasons []string
	var first error
	owed := &ending{} // what allocators that do not work could not return
	for _, name := range m.walk(ask) {
		b, err := m.bind(name, ask)
		if b.Close != nil {
			owed.steps = append(owed.steps, b.Close)
		}
		if err == nil {
			b.Allocator, b.Reason, b.Close = name, strings.Join(reasons, "; "), owed.close()
			return traced(b, ask.Name), nil
		}
		if first == nil {
			first = err
		}
		if !errors.Is(err, poolrt.ErrUnsupported) && !errors.Is(err, poolrt.ErrNoDriver) && !errors.As(err, new(*poolimpl.NoAddresses)) {
			return poolimpl.Bound{Close: owed.close()}, err
		}
		reasons = append(reasons, fmt.Sprintf("%s: %v", name, err))
	}
	return poolimpl.Bound{Close: owed.close()}, first
}

// walk lists the allocators to try: the one that is requested, and what may replace it.
func (m Allocator) walk(ask poolimpl.Binding) []string {
	first := cmp.Or(ask.Allocator, m.Name)
	rest := slices.DeleteFunc(slices.Clone(m.Fallback), func(name string) bool { return name == first })
	return append([]string{first}, rest...)
}

// bind binds the pool to one allocator.
func (m Allocator) bind(name string, ask poolimpl.Binding) (poolimpl.Bound, error) {
	at, err := m.site(ask)
	if source := m.ordinary(name); source != nil {
		if name == ask.Allocator && ask.Device != poolimpl.NoDevice { // the program has chosen both
			if _, err := m.device(ask); errors.Is(err, poolrt.ErrUnsupported) {
				return poolimpl.Bound{}, err
			}
		}
		return onHost(poolimpl.Bound{Source: source, Clean: name == "host"}, at, err == nil), nil
	}
	if err != nil {
		return poolimpl.Bound{}, err
	}
	a, err := kindOf(name)
	listed := slices.IndexFunc(m.Kinds, func(k Kind) bool { return k.named() == name })
	if err == nil && listed < 0 {
		err = fmt.Errorf("%w: allocator %s, which the pool file does not name", poolrt.ErrUnsupported, name)
	}
	if err != nil {
		return poolimpl.Bound{}, err
	}
	return m.tie(a, m.Kinds[listed].bind, at, ask)
}

// tie binds the pool to an allocator on a device.
func (m Allocator) tie(a kind, bind bindFunc, at site, ask poolimpl.Binding) (poolimpl.Bound, error) {
	if err := a.works(at); err != nil {
		return poolimpl.Bound{}, err
	}
	if m.AllPeers && a.onDevice {
		var err error
		if m.Peers, err = at.reachers(); err != nil {
			return poolimpl.Bound{}, err
		}
	}
	m.Peers = slices.DeleteFunc(slices.Clone(m.Peers), func(p int) bool { return p == int(at.dev) }) // one list serves pools on any device
	if a.onDevice {
		if err := at.reached(m.Peers); err != nil {
			return poolimpl.Bound{}, err
		}
	}
	b, err := bind(m, at, ask)
	if err != nil {
		return b, err
	}
	b = at.ordered(b)
	line := b.Timeline.(*timeline)
	if a.onDevice {
		b.Zero, b.ZeroOn, b.Zeroed = line.clear, clearOn, line.cleared
		cleared := clearedSource{b.Source, line}
		if from, ok := b.Source.(asyncSource); ok && ask.Ordered {
			b.Streams = &orderedSource{cleared, from}
		}
		b.Source = cleared
	}
	if poolrt.Debug && a.addressed {
		b = line.inspected(b)
	}
	return b, nil
}

// ordinary returns the source of an allocator that is not the driver's; nil for those of the driver.
func (m Allocator) ordinary(name string) poolimpl.Source {
	switch name {
	case "host":
		return poolimpl.Host()
	case "custom":
		return m.Custom
	}
	return nil
}

// onHost binds the pool to ordinary memory, of a source. If there is a device, its streams may use the memory in copies.
func onHost(b poolimpl.Bound, at site, device bool) poolimpl.Bound {
	if !device {
		return b
	}
	return at.ordered(b)
}

// ordered makes the streams of the device order the use of the memory.
func (s site) ordered(b poolimpl.Bound) poolimpl.Bound {
	line := s.timeline()
	b.Device, b.Timeline, b.Watch, b.Trim = int(s.dev), line, line.Watch, line.trim
	end := &ending{[]func() error{line.join(), line.sweep}}
	if b.Close != nil {
		end.steps = append([]func() error{b.Close}, end.steps...)
	}
	b.Close = end.run
	return b
}

// site returns the site for the pool.
func (m Allocator) site(ask poolimpl.Binding) (site, error) {
	d, err := m.device(ask)
	if err != nil {
		return site{}, err
	}
	drv, ctx, err := d.table()
	return site{drv: drv, dev: d, ctx: ctx}, err
}

// device returns the device for the pool.
func (m Allocator) device(ask poolimpl.Binding) (Device, error) {
	n := m.Device
	if ask.Device != poolimpl.NoDevice {
		n = ask.Device
	}
	switch n {
	case AnyDevice:
		return currentPrimary()
	case foreignDevice:
		if _, err := currentPrimary(); err != nil && !errors.Is(err, poolrt.ErrNoDriver) { // which has a fallback
			return 0, err
		}
		return 0, failure(abi.Unknown, "CtxGetCurrent", nowhere, 0, "the driver did not say which device is current: try again")
	}
	list, err := Devices()
	if err != nil {
		return 0, err
	}
	if n < 0 || n >= len(list) {
		return 0, fmt.Errorf("%w: device %d: there are %d", poolrt.ErrUnsupported, n, len(list))
	}
	return Device(n), nil
}

// site is the device of a source.
type site struct {
	drv abi.Driver
	dev Device
	ctx abi.Context
}

// simulated returns the number of the simulated machine, 0 with a real driver. What belonged to an earlier machine is gone.
func (s site) simulated() uint64 {
	if d, ok := s.drv.(interface{ Machine() uint64 }); ok {
		return d.Machine()
	}
	return 0
}
