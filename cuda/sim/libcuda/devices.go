//go:build cudasim && cgo && linux && (amd64 || arm64)

package main

// #include <stddef.h>
// #include <stdint.h>
import "C"

import (
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

//export cuDeviceGetCount
func cuDeviceGetCount(to *C.int) C.int { return get(to, driver.DeviceGetCount) }

//export cuDeviceGet
func cuDeviceGet(to *C.int, ordinal C.int) C.int {
	return get(to, func() (C.int, abi.Result) {
		_, r := driver.DeviceTotalMem(int(ordinal)) // is there such a device?
		return ordinal, r
	})
}

//export cuDeviceGetName
func cuDeviceGetName(to *C.char, space, dev C.int) C.int {
	return do(func() abi.Result {
		if to == nil || space <= 0 {
			return abi.InvalidValue
		}
		name, r := driver.DeviceGetName(int(dev))
		if r == abi.Success {
			buffer := unsafe.Slice((*byte)(unsafe.Pointer(to)), space)
			buffer[copy(buffer[:space-1], name)] = 0
		}
		return r
	})
}

//export cuDeviceGetUuid
func cuDeviceGetUuid(to *C.uint8_t, dev C.int) C.int { return cuDeviceGetUuid_v2(to, dev) }

//export cuDeviceGetUuid_v2
func cuDeviceGetUuid_v2(to *C.uint8_t, dev C.int) C.int {
	return do(func() abi.Result {
		if to == nil {
			return abi.InvalidValue
		}
		id, r := driver.DeviceGetUUID(int(dev))
		if r == abi.Success {
			*(*[16]byte)(unsafe.Pointer(to)) = id
		}
		return r
	})
}

//export cuDeviceTotalMem_v2
func cuDeviceTotalMem_v2(to *C.size_t, dev C.int) C.int {
	return get(to, func() (uint64, abi.Result) { return driver.DeviceTotalMem(int(dev)) })
}

//export cuDeviceGetAttribute
func cuDeviceGetAttribute(to *C.int, attribute, dev C.int) C.int {
	return get(to, func() (int32, abi.Result) { return driver.DeviceGetAttribute(int(dev), int32(attribute)) })
}

//export cuDeviceCanAccessPeer
func cuDeviceCanAccessPeer(to *C.int, dev, peer C.int) C.int {
	return get(to, func() (C.int, abi.Result) {
		can, r := driver.DeviceCanAccessPeer(int(dev), int(peer))
		return truth(can), r
	})
}

func truth(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

//export cuDevicePrimaryCtxRetain
func cuDevicePrimaryCtxRetain(to *C.uint64_t, dev C.int) C.int {
	return get(to, func() (abi.Context, abi.Result) { return driver.DevicePrimaryCtxRetain(int(dev)) })
}

//export cuDevicePrimaryCtxRelease_v2
func cuDevicePrimaryCtxRelease_v2(dev C.int) C.int {
	return do(func() abi.Result { return driver.DevicePrimaryCtxRelease(int(dev)) })
}

//export cuDevicePrimaryCtxSetFlags_v2
func cuDevicePrimaryCtxSetFlags_v2(dev C.int, flags C.uint) C.int {
	return do(func() abi.Result { return driver.DevicePrimaryCtxSetFlags(int(dev), uint32(flags)) })
}

//export cuDevicePrimaryCtxGetState
func cuDevicePrimaryCtxGetState(dev C.int, flags *C.uint, active *C.int) C.int {
	return do(func() abi.Result {
		if flags == nil || active == nil {
			return abi.InvalidValue
		}
		f, a, r := driver.DevicePrimaryCtxGetState(int(dev))
		if r == abi.Success {
			*flags, *active = C.uint(f), truth(a)
		}
		return r
	})
}

//export cuDeviceGetDefaultMemPool
func cuDeviceGetDefaultMemPool(to *C.uint64_t, dev C.int) C.int {
	return get(to, func() (abi.Pool, abi.Result) { return driver.DeviceGetDefaultMemPool(int(dev)) })
}

//export cuDeviceGetMemPool
func cuDeviceGetMemPool(to *C.uint64_t, dev C.int) C.int {
	return get(to, func() (abi.Pool, abi.Result) { return driver.DeviceGetMemPool(int(dev)) })
}

//export cuDeviceSetMemPool
func cuDeviceSetMemPool(dev C.int, pool C.uint64_t) C.int {
	return do(func() abi.Result { return driver.DeviceSetMemPool(int(dev), abi.Pool(pool)) })
}
