//go:build cgo && linux && (amd64 || arm64)

package native

// #include "table.h"
//
// #define DEVICE_ORDINAL 9
//
// typedef struct { uint64_t free, total; int32_t result; } info;
//
// static info mem_info(uint64_t ctx) {
//	size_t f = 0, t = 0;
//	int r = IN(ctx, cuMemGetInfo, &f, &t);
//	return (info){f, t, r};
// }
// static number mem_alloc(uint64_t ctx, uint64_t n) { address p = 0; int r = IN(ctx, cuMemAlloc, &p, n); return (number){p, r}; }
// static int mem_free(uint64_t ctx, uint64_t p) { return IN(ctx, cuMemFree, p); }
// static pointer mem_managed(uint64_t ctx, uint64_t n, unsigned flags) {
//	address p = 0;
//	int r = IN(ctx, cuMemAllocManaged, &p, n, flags);
//	return (pointer){(void *)(uintptr_t)p, r};
// }
// static pointer mem_host(uint64_t ctx, uint64_t n, unsigned flags) {
//	void *p = 0;
//	int r = IN(ctx, cuMemHostAlloc, &p, n, flags);
//	return (pointer){p, r};
// }
// static int mem_free_host(uint64_t ctx, uint8_t *p) { return IN(ctx, cuMemFreeHost, p); }
// static number mem_device_pointer(uint64_t ctx, uint8_t *host) {
//	address p = 0;
//	int r = IN(ctx, cuMemHostGetDevicePointer, &p, host, 0);
//	return (number){p, r};
// }
// static int mem_register(uint64_t ctx, uint8_t *p, uint64_t n, unsigned flags) { return IN(ctx, cuMemHostRegister, p, n, flags); }
// static int mem_unregister(uint64_t ctx, uint8_t *p) { return IN(ctx, cuMemHostUnregister, p); }
// static number mem_device_of(uint64_t p) {
//	int dev = 0;
//	int r = CALL(cuPointerGetAttribute, &dev, DEVICE_ORDINAL, p);
//	return (number){dev, r};
// }
import "C"

import (
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// MemGetInfo returns the free and the total memory of the device, for the context's process.
func (Driver) MemGetInfo(ctx abi.Context) (free, total uint64, _ abi.Result) {
	r := C.mem_info(C.uint64_t(ctx))
	return uint64(r.free), uint64(r.total), abi.Result(r.result)
}

// MemAlloc may wait for the whole device.
func (Driver) MemAlloc(ctx abi.Context, bytes uint64) (abi.Ptr, abi.Result) {
	r := C.mem_alloc(C.uint64_t(ctx), C.uint64_t(bytes))
	return abi.Ptr(r.value), abi.Result(r.result)
}

// MemFree waits for the whole device.
func (Driver) MemFree(ctx abi.Context, p abi.Ptr) abi.Result {
	return abi.Result(C.mem_free(C.uint64_t(ctx), C.uint64_t(p)))
}

// MemAllocManaged allocates memory that host and devices share, page by page. MemFree frees it.
func (Driver) MemAllocManaged(ctx abi.Context, bytes uint64, flags uint32) (unsafe.Pointer, abi.Result) {
	r := C.mem_managed(C.uint64_t(ctx), C.uint64_t(bytes), C.uint(flags))
	return r.value, abi.Result(r.result)
}

// MemHostAlloc allocates page-locked memory of the host.
func (Driver) MemHostAlloc(ctx abi.Context, bytes uint64, flags uint32) (unsafe.Pointer, abi.Result) {
	r := C.mem_host(C.uint64_t(ctx), C.uint64_t(bytes), C.uint(flags))
	return r.value, abi.Result(r.result)
}

// MemFreeHost frees it.
func (Driver) MemFreeHost(ctx abi.Context, p unsafe.Pointer) abi.Result {
	return abi.Result(C.mem_free_host(C.uint64_t(ctx), (*C.uint8_t)(p)))
}

// MemHostGetDevicePointer returns its address for devices.
func (Driver) MemHostGetDevicePointer(ctx abi.Context, p unsafe.Pointer) (abi.Ptr, abi.Result) {
	r := C.mem_device_pointer(C.uint64_t(ctx), (*C.uint8_t)(p))
	return abi.Ptr(r.value), abi.Result(r.result)
}

// MemHostRegister page-locks memory of the program.
func (Driver) MemHostRegister(ctx abi.Context, p unsafe.Pointer, bytes uint64, flags uint32) abi.Result {
	return abi.Result(C.mem_register(C.uint64_t(ctx), (*C.uint8_t)(p), C.uint64_t(bytes), C.uint(flags)))
}

// MemHostUnregister undoes that.
func (Driver) MemHostUnregister(ctx abi.Context, p unsafe.Pointer) abi.Result {
	return abi.Result(C.mem_unregister(C.uint64_t(ctx), (*C.uint8_t)(p)))
}

// PointerGetDevice returns the device of an address.
func (Driver) PointerGetDevice(p abi.Ptr) (int, abi.Result) {
	r := C.mem_device_of(C.uint64_t(p))
	return int(r.value), abi.Result(r.result)
}
