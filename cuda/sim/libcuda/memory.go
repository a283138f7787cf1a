//go:build cudasim && cgo && linux && (amd64 || arm64)

package main

// #include <stddef.h>
// #include <stdint.h>
import "C"

import (
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

//export cuMemGetInfo_v2
func cuMemGetInfo_v2(free, total *C.size_t) C.int {
	return doIn(func(ctx abi.Context) abi.Result {
		if free == nil || total == nil {
			return abi.InvalidValue
		}
		f, t, r := driver.MemGetInfo(ctx)
		if r == abi.Success {
			*free, *total = C.size_t(f), C.size_t(t)
		}
		return r
	})
}

//export cuMemAlloc_v2
func cuMemAlloc_v2(to *C.uint64_t, bytes C.size_t) C.int {
	return getIn(to, func(ctx abi.Context) (abi.Ptr, abi.Result) { return driver.MemAlloc(ctx, uint64(bytes)) })
}

//export cuMemFree_v2
func cuMemFree_v2(p C.uint64_t) C.int {
	return doIn(func(ctx abi.Context) abi.Result { return driver.MemFree(ctx, abi.Ptr(p)) })
}

//export cuMemAllocManaged
func cuMemAllocManaged(to *C.uint64_t, bytes C.size_t, flags C.uint) C.int {
	return getIn(to, func(ctx abi.Context) (uintptr, abi.Result) {
		p, r := driver.MemAllocManaged(ctx, uint64(bytes), uint32(flags))
		return uintptr(p), r
	})
}

//export cuMemHostAlloc
func cuMemHostAlloc(to *C.uint64_t, bytes C.size_t, flags C.uint) C.int {
	return getIn(to, func(ctx abi.Context) (uintptr, abi.Result) {
		p, r := driver.MemHostAlloc(ctx, uint64(bytes), uint32(flags))
		return uintptr(p), r
	})
}

//export cuMemAllocHost_v2
func cuMemAllocHost_v2(to *C.uint64_t, bytes C.size_t) C.int { return cuMemHostAlloc(to, bytes, 0) }

//export cuMemFreeHost
func cuMemFreeHost(p unsafe.Pointer) C.int {
	return doIn(func(ctx abi.Context) abi.Result { return driver.MemFreeHost(ctx, p) })
}

//export cuMemHostGetDevicePointer_v2
func cuMemHostGetDevicePointer_v2(to *C.uint64_t, p unsafe.Pointer, flags C.uint) C.int {
	return getIn(to, func(ctx abi.Context) (abi.Ptr, abi.Result) {
		if flags != 0 {
			return 0, abi.InvalidValue
		}
		return driver.MemHostGetDevicePointer(ctx, p)
	})
}

//export cuMemHostRegister_v2
func cuMemHostRegister_v2(p unsafe.Pointer, bytes C.size_t, flags C.uint) C.int {
	return doIn(func(ctx abi.Context) abi.Result {
		return driver.MemHostRegister(ctx, p, uint64(bytes), uint32(flags))
	})
}

//export cuMemHostUnregister
func cuMemHostUnregister(p unsafe.Pointer) C.int {
	return doIn(func(ctx abi.Context) abi.Result { return driver.MemHostUnregister(ctx, p) })
}

//export cuPointerGetAttribute
func cuPointerGetAttribute(to *C.int, attribute C.int, p C.uint64_t) C.int {
	return get(to, func() (int, abi.Result) {
		if attribute != abi.PointerDeviceOrdinal { // the only one that the simulator knows
			return 0, abi.NotSupported
		}
		return driver.PointerGetDevice(abi.Ptr(p))
	})
}
