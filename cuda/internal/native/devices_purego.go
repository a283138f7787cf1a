//go:build !cgo && poolgen_purego && linux && (amd64 || arm64)

package native

import (
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// device returns the driver's handle of an ordinal. The driver has no inverse function: the handle is the ordinal.
func device(ordinal int) (uintptr, abi.Result) {
	dev, r := fetch(table.cuDeviceGet, uintptr(ordinal))
	return uintptr(int32(dev)), r
}

// fetchOf is fetch for a function whose last argument is a device.
func fetchOf(ordinal int, f uintptr, args ...uintptr) (uint64, abi.Result) {
	dev, r := device(ordinal)
	if r != abi.Success {
		return 0, r
	}
	var all [mostArgs]uintptr
	n := copy(all[:], args)
	all[n] = dev
	return fetch(f, all[:n+1]...)
}

// DeviceGetCount returns the number of devices that CUDA_VISIBLE_DEVICES makes visible.
func (Driver) DeviceGetCount() (int, abi.Result) {
	n, r := fetch(table.cuDeviceGetCount)
	return int(int32(n)), r
}

// DeviceGetName returns the product's name.
func (Driver) DeviceGetName(of int) (string, abi.Result) {
	dev, r := device(of)
	if r != abi.Success {
		return "", r
	}
	name := make([]byte, 256)
	m := borrow()
	defer m.giveBack()
	r = call(table.cuDeviceGetName, m.hold(unsafe.Pointer(&name[0])), uintptr(len(name)-1), dev)
	return untilZero(name), r
}

// DeviceGetUUID identifies the device across processes and reboots; a slice of a device has its own UUID.
func (Driver) DeviceGetUUID(of int) (id [16]byte, r abi.Result) {
	dev, r := device(of)
	if r != abi.Success {
		return id, r
	}
	m := borrow()
	defer m.giveBack()
	to := place(m, id)
	r = call(table.cuDeviceGetUuid2, to, dev)
	if r == abi.NoFunction {
		r = call(table.cuDeviceGetUuid, to, dev)
	}
	return placed[[16]byte](m), r
}

// DeviceTotalMem returns the size of the device's memory in bytes.
func (Driver) DeviceTotalMem(dev int) (uint64, abi.Result) {
	return fetchOf(dev, table.cuDeviceTotalMem)
}

// DeviceGetAttribute returns InvalidValue for an attribute that the driver does not know.
func (Driver) DeviceGetAttribute(dev int, attribute int32) (int32, abi.Result) {
	v, r := fetchOf(dev, table.cuDeviceGetAttribute, uintptr(attribute))
	return int32(v), r
}

// DeviceCanAccessPeer reports whether dev can address the memory of peer.
func (Driver) DeviceCanAccessPeer(of, peer int) (bool, abi.Result) {
	other, r := device(peer)
	if r != abi.Success {
		return false, r
	}
	dev, r := device(of)
	if r != abi.Success {
		return false, r
	}
	can, r := fetch(table.cuDeviceCanAccessPeer, dev, other)
	return int32(can) != 0, r
}

// DevicePrimaryCtxRetain retains the context that all libraries in the process share. The first call makes the context, which takes a while.
func (Driver) DevicePrimaryCtxRetain(dev int) (abi.Context, abi.Result) {
	c, r := fetchOf(dev, table.cuDevicePrimaryCtxRetain)
	return abi.Context(c), r
}

// DevicePrimaryCtxRelease undoes one retain.
func (Driver) DevicePrimaryCtxRelease(of int) abi.Result {
	dev, r := device(of)
	if r != abi.Success {
		return r
	}
	return call(table.cuDevicePrimaryCtxRelease, dev)
}

// DevicePrimaryCtxSetFlags replaces the flags of the primary context.
func (Driver) DevicePrimaryCtxSetFlags(of int, flags uint32) abi.Result {
	dev, r := device(of)
	if r != abi.Success {
		return r
	}
	return call(table.cuDevicePrimaryCtxSetFlags, dev, uintptr(flags))
}

// DevicePrimaryCtxGetState returns the flags of the primary context, and whether it exists.
func (Driver) DevicePrimaryCtxGetState(of int) (flags uint32, active bool, r abi.Result) {
	dev, r := device(of)
	if r != abi.Success {
		return 0, false, r
	}
	m := borrow()
	defer m.giveBack()
	r = call(table.cuDevicePrimaryCtxGetState, dev, m.toFirst(), m.toSecond())
	return uint32(m.first), int32(m.second) != 0, r
}

// DeviceGetDefaultMemPool returns the pool that the driver made.
func (Driver) DeviceGetDefaultMemPool(dev int) (abi.Pool, abi.Result) {
	p, r := fetchOf(dev, table.cuDeviceGetDefaultMemPool)
	return abi.Pool(p), r
}

// DeviceGetMemPool returns the pool that cuMemAllocAsync allocates from.
func (Driver) DeviceGetMemPool(dev int) (abi.Pool, abi.Result) {
	p, r := fetchOf(dev, table.cuDeviceGetMemPool)
	return abi.Pool(p), r
}

// DeviceSetMemPool changes it, for the whole process.
func (Driver) DeviceSetMemPool(of int, pool abi.Pool) abi.Result {
	dev, r := device(of)
	if r != abi.Success {
		return r
	}
	return call(table.cuDeviceSetMemPool, dev, uintptr(pool))
}
