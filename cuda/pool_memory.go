package cuda

import (
	"errors"
	"fmt"
	"strings"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/runtime"
)

// Memory says where the chunks of a pool come from. It is the runtime.Binder of generated pools: what it asks for is looked for when
// the pool is first used, on the device that is chosen then.
type Memory struct {
	Allocator string   // as in pool files: "pinned", "managed", "device", ...
	Fallback  []string // tried in order where that is not supported; "host" is ordinary memory

	// Device is the ordinal, or AnyDevice for the one whose context is current on the goroutine's thread, else device 0.
	Device int
	Peers  []int // devices that get access to the memory

	Portable, Mapped, WriteCombined bool // pinned

	Pool      *PoolSettings // device_async, device_pool; nil: the device's default pool as it is
	Shareable bool          // device_pool, device_virtual: chunks can be exported
}

// AnyDevice leaves the choice of the device to the thread that first uses the pool.
const AnyDevice = runtime.NoDevice

// Bind finds the device and the first allocator that works there.
func (m Memory) Bind(ask runtime.Binding) (runtime.Bound, error) {
	var reasons []string
	var first error
	for _, name := range append([]string{m.Allocator}, m.Fallback...) {
		b, err := m.bind(name, ask)
		if err == nil {
			b.Allocator, b.Reason = name, strings.Join(reasons, "; ")
			return b, nil
		}
		if first == nil {
			first = err
		}
		if !errors.Is(err, runtime.ErrUnsupported) && !errors.Is(err, runtime.ErrNoDriver) {
			return runtime.Bound{}, err
		}
		reasons = append(reasons, fmt.Sprintf("%s: %v", name, err))
	}
	return runtime.Bound{}, first
}

// bind ties the pool to one allocator.
func (m Memory) bind(name string, ask runtime.Binding) (runtime.Bound, error) {
	if name == "host" {
		return runtime.Bound{Source: runtime.Host()}, nil
	}
	d, err := m.device(ask)
	if err != nil {
		return runtime.Bound{}, err
	}
	ctx, err := d.context()
	if err != nil {
		return runtime.Bound{}, err
	}
	at := site{dev: d, ctx: ctx}
	make, ok := allocators[name]
	if !ok {
		return runtime.Bound{}, fmt.Errorf("%w: allocator %q", runtime.ErrUnsupported, name)
	}
	if err := make.works(at); err != nil {
		return runtime.Bound{}, err
	}
	b, err := make.bind(m, at, ask)
	if err != nil {
		return runtime.Bound{}, err
	}
	line, err := d.timeline()
	if err != nil {
		return runtime.Bound{}, err
	}
	b.Device, b.Timeline = int(d), line
	return b, nil
}

// device is the one that the pool is to be on.
func (m Memory) device(ask runtime.Binding) (Device, error) {
	n := m.Device
	if ask.Device != runtime.NoDevice {
		n = ask.Device
	}
	if n == AnyDevice {
		return CurrentDevice()
	}
	list, err := Devices()
	if err != nil {
		return 0, err
	}
	if n < 0 || n >= len(list) {
		return 0, fmt.Errorf("%w: device %d: there are %d", runtime.ErrUnsupported, n, len(list))
	}
	return Device(n), nil
}

// site is where a source works.
type site struct {
	dev Device
	ctx abi.Context
}

// allocator is one way to get chunks from the driver.
type allocator struct {
	attribute int32 // of a device on which it works; 0: any
	what      string
	bind      func(Memory, site, runtime.Binding) (runtime.Bound, error)
}

// works says why an allocator does not work on a device.
func (a allocator) works(at site) error {
	if a.attribute == 0 {
		return nil
	}
	v, r := table().DeviceGetAttribute(int(at.dev), a.attribute)
	if err := failed("cuDeviceGetAttribute", r, at.dev, 0); err != nil {
		return err
	}
	if v == 0 {
		return fmt.Errorf("%w: device %d has no %s", runtime.ErrUnsupported, at.dev, a.what)
	}
	return nil
}

// allocators are those of the driver, by their names in pool files.
var allocators = map[string]allocator{
	"pinned":         {0, "", Memory.pinned},
	"managed":        {abi.AttributeManagedMemory, "managed memory", Memory.managed},
	"device":         {0, "", Memory.plain},
	"device_async":   {abi.AttributeMemoryPools, "memory pools", Memory.async},
	"device_pool":    {abi.AttributeMemoryPools, "memory pools", Memory.pooled},
	"device_virtual": {abi.AttributeVirtualMemoryManagement, "virtual memory management", Memory.virtual},
}
