package cuda

import (
	"fmt"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/driver"
)

// Device is the number of a device among those that the driver shows, from 0.
type Device int

// Devices returns all devices. CUDA_VISIBLE_DEVICES decides which ones there are and in what order.
func Devices() ([]Device, error) {
	if err := Probe(); err != nil {
		return nil, err
	}
	n, r := driver.Table().DeviceGetCount()
	if r != abi.Success {
		return nil, failure(r, "DeviceGetCount", nowhere, 0, "")
	}
	all := make([]Device, n)
	for i := range all {
		all[i] = Device(i)
	}
	return all, nil
}

// CurrentDevice returns the device whose context is current on the calling thread. Another library in the process may have made it
// current. Without a current context it returns device 0, as the CUDA runtime does. A goroutine that is not locked to its thread may run
// on another thread at the next call.
//
// The context may be one that another library has made besides the primary one. [AdoptStream] of a default stream, and pools on the current device,
// refuse such a context.
func CurrentDevice() (Device, error) {
	_, d, err := currentContext()
	return d, err
}

// String returns "device 0" and so on.
func (d Device) String() string { return fmt.Sprintf("device %d", int(d)) }

// Name returns the product's name.
func (d Device) Name() (string, error) {
	name, r := driver.Table().DeviceGetName(int(d))
	return name, check(r, "DeviceGetName", d, 0)
}

// UUID returns the identifier of the device, which does not depend on CUDA_VISIBLE_DEVICES. A slice of a device has its own.
func (d Device) UUID() ([16]byte, error) {
	id, r := driver.Table().DeviceGetUUID(int(d))
	return id, check(r, "DeviceGetUuid", d, 0)
}

// TotalMemory returns the size of the device's memory in bytes.
func (d Device) TotalMemory() (int64, error) {
	n, r := driver.Table().DeviceTotalMem(int(d))
	return int64(n), check(r, "DeviceTotalMem", d, 0)
}

// MemInfo returns the free and the total memory of the device in bytes. Free memory can change at any moment, because other
// processes use the device, too. MemInfo takes some microseconds.
func (d Device) MemInfo() (free, total int64, err error) {
	t, ctx, err := d.table()
	if err != nil {
		return 0, 0, err
	}
	f, n, r := t.MemGetInfo(ctx)
	return int64(f), int64(n), check(r, "MemGetInfo", d, 0)
}

// Attribute returns a property of the device. It is also 0 if the driver is too old for the attribute.
func (d Device) Attribute(a Attribute) (int, error) {
	v, r := driver.Table().DeviceGetAttribute(int(d), int32(a))
	if r == abi.InvalidValue && d >= 0 {
		return 0, nil
	}
	return int(v), check(r, "DeviceGetAttribute", d, 0)
}

// ComputeCapability returns the version of the device's instruction set.
func (d Device) ComputeCapability() (major, minor int, err error) {
	if major, err = d.Attribute(ComputeCapabilityMajor); err != nil {
		return 0, 0, err
	}
	minor, err = d.Attribute(ComputeCapabilityMinor)
	return major, minor, err
}

// Synchronize waits until all work that this process queued in the device's primary context is done. It blocks a thread meanwhile. The error may be that of
// work that was queued long before.
func (d Device) Synchronize() error {
	t, ctx, err := d.table()
	if err != nil {
		return err
	}
	return check(t.CtxSynchronize(ctx), "CtxSynchronize", d, 0)
}
