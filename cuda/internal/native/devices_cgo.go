//go:build cgo && linux && (amd64 || arm64)

package native

// #include "table.h"
//
// // device returns the driver's handle of an ordinal. The driver has no inverse function: the handle is the ordinal.
// static int device(int ordinal, int *dev) { return CALL(cuDeviceGet, dev, ordinal); }
//
// #define ON(ordinal, name, ...) \
//	int dev = 0; \
//	int r = device(ordinal, &dev); \
//	if (!r) r = CALL(name, __VA_ARGS__)
//
// typedef struct { char text[256]; int32_t result; } name;
// typedef struct { uint8_t bytes[16]; int32_t result; } uuid;
//
// static number device_count(void) { int n = 0; int r = CALL(cuDeviceGetCount, &n); return (number){n, r}; }
// static name device_name(int of) {
//	name n = {{0}};
//	ON(of, cuDeviceGetName, n.text, sizeof n.text - 1, dev);
//	n.result = r;
//	return n;
// }
// static uuid device_uuid(int of) {
//	uuid u = {{0}};
//	ON(of, cuDeviceGetUuid2, u.bytes, dev);
//	if (r == NO_FUNCTION) r = CALL(cuDeviceGetUuid, u.bytes, dev);
//	u.result = r;
//	return u;
// }
// static number device_total(int of) { size_t n = 0; ON(of, cuDeviceTotalMem, &n, dev); return (number){n, r}; }
// static number device_attribute(int of, int what) {
//	int v = 0;
//	ON(of, cuDeviceGetAttribute, &v, what, dev);
//	return (number){v, r};
// }
// static number device_can_access(int of, int peer) {
//	int can = 0, other = 0;
//	int bad = device(peer, &other);
//	if (bad) return (number){0, bad};
//	ON(of, cuDeviceCanAccessPeer, &can, dev, other);
//	return (number){can, r};
// }
// static number device_retain(int of) { handle c = 0; ON(of, cuDevicePrimaryCtxRetain, &c, dev); return (number){N(c), r}; }
// static int device_release(int of) { ON(of, cuDevicePrimaryCtxRelease, dev); return r; }
// static int device_set_flags(int of, unsigned flags) { ON(of, cuDevicePrimaryCtxSetFlags, dev, flags); return r; }
// typedef struct { uint32_t flags; int32_t active, result; } state;
// static state device_state(int of) {
//	unsigned flags = 0;
//	int active = 0;
//	ON(of, cuDevicePrimaryCtxGetState, dev, &flags, &active);
//	return (state){flags, active, r};
// }
// static number device_default_pool(int of) {
//	handle p = 0;
//	ON(of, cuDeviceGetDefaultMemPool, &p, dev);
//	return (number){N(p), r};
// }
// static number device_pool(int of) { handle p = 0; ON(of, cuDeviceGetMemPool, &p, dev); return (number){N(p), r}; }
// static int device_set_pool(int of, uint64_t pool) { ON(of, cuDeviceSetMemPool, dev, H(pool)); return r; }
import "C"

import "github.com/poolgen/poolgen/cuda/internal/abi"

// DeviceGetCount returns the number of devices that CUDA_VISIBLE_DEVICES makes visible.
func (Driver) DeviceGetCount() (int, abi.Result) {
	r := C.device_count()
	return int(r.value), abi.Result(r.result)
}

// DeviceGetName returns the product's name.
func (Driver) DeviceGetName(dev int) (string, abi.Result) {
	r := C.device_name(C.int(dev))
	return C.GoString(&r.text[0]), abi.Result(r.result)
}

// DeviceGetUUID identifies the device across processes and reboots; a slice of a device has its own UUID.
func (Driver) DeviceGetUUID(dev int) (id [16]byte, _ abi.Result) {
	r := C.device_uuid(C.int(dev))
	for i, b := range r.bytes {
		id[i] = byte(b)
	}
	return id, abi.Result(r.result)
}

// DeviceTotalMem returns the size of the device's memory in bytes.
func (Driver) DeviceTotalMem(dev int) (uint64, abi.Result) {
	r := C.device_total(C.int(dev))
	return uint64(r.value), abi.Result(r.result)
}

// DeviceGetAttribute returns InvalidValue for an attribute that the driver does not know.
func (Driver) DeviceGetAttribute(dev int, attribute int32) (int32, abi.Result) {
	r := C.device_attribute(C.int(dev), C.int(attribute))
	return int32(r.value), abi.Result(r.result)
}

// DeviceCanAccessPeer reports whether dev can address the memory of peer.
func (Driver) DeviceCanAccessPeer(dev, peer int) (bool, abi.Result) {
	r := C.device_can_access(C.int(dev), C.int(peer))
	return r.value != 0, abi.Result(r.result)
}

// DevicePrimaryCtxRetain retains the context that all libraries in the process share. The first call makes the context, which takes a while.
func (Driver) DevicePrimaryCtxRetain(dev int) (abi.Context, abi.Result) {
	r := C.device_retain(C.int(dev))
	return abi.Context(r.value), abi.Result(r.result)
}

// DevicePrimaryCtxRelease undoes one retain.
func (Driver) DevicePrimaryCtxRelease(dev int) abi.Result {
	return abi.Result(C.device_release(C.int(dev)))
}

// DeviceGetDefaultMemPool returns the pool that the driver made.
func (Driver) DeviceGetDefaultMemPool(dev int) (abi.Pool, abi.Result) {
	r := C.device_default_pool(C.int(dev))
	return abi.Pool(r.value), abi.Result(r.result)
}

// DeviceGetMemPool returns the pool that cuMemAllocAsync allocates from.
func (Driver) DeviceGetMemPool(dev int) (abi.Pool, abi.Result) {
	r := C.device_pool(C.int(dev))
	return abi.Pool(r.value), abi.Result(r.result)
}

// DeviceSetMemPool changes it, for the whole process.
func (Driver) DeviceSetMemPool(dev int, pool abi.Pool) abi.Result {
	return abi.Result(C.device_set_pool(C.int(dev), C.uint64_t(pool)))
}

// DevicePrimaryCtxSetFlags replaces the flags of the primary context.
func (Driver) DevicePrimaryCtxSetFlags(dev int, flags uint32) abi.Result {
	return abi.Result(C.device_set_flags(C.int(dev), C.uint(flags)))
}

// DevicePrimaryCtxGetState returns the flags of the primary context, and whether it exists.
func (Driver) DevicePrimaryCtxGetState(dev int) (flags uint32, active bool, _ abi.Result) {
	r := C.device_state(C.int(dev))
	return uint32(r.flags), r.active != 0, abi.Result(r.result)
}
