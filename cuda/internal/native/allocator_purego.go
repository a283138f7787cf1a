//go:build !cgo && poolgen_purego && linux && (amd64 || arm64)

package native

import (
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// MemGetInfo returns the free and the total memory of the device, for the context's process.
func (Driver) MemGetInfo(ctx abi.Context) (free, total uint64, r abi.Result) {
	m := borrow()
	defer m.giveBack()
	r = in(ctx, table.cuMemGetInfo, m.toFirst(), m.toSecond())
	return m.first, m.second, r
}

// MemAlloc may wait for the whole device.
func (Driver) MemAlloc(ctx abi.Context, bytes uint64) (abi.Ptr, abi.Result) {
	p, r := fetchIn(ctx, table.cuMemAlloc, uintptr(bytes))
	return abi.Ptr(p), r
}

// MemFree waits for the whole device.
func (Driver) MemFree(ctx abi.Context, p abi.Ptr) abi.Result {
	return in(ctx, table.cuMemFree, uintptr(p))
}

// MemAllocManaged allocates memory that host and devices share, page by page. MemFree frees it.
func (Driver) MemAllocManaged(ctx abi.Context, bytes uint64, flags uint32) (unsafe.Pointer, abi.Result) {
	p, r := fetchIn(ctx, table.cuMemAllocManaged, uintptr(bytes), uintptr(flags))
	return pointer(p), r
}

// MemHostAlloc allocates page-locked memory of the host.
func (Driver) MemHostAlloc(ctx abi.Context, bytes uint64, flags uint32) (unsafe.Pointer, abi.Result) {
	p, r := fetchIn(ctx, table.cuMemHostAlloc, uintptr(bytes), uintptr(flags))
	return pointer(p), r
}

// pointer returns an address that the driver has returned as a pointer. The memory is not Go's, and does not move.
func pointer(address uint64) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

// MemFreeHost frees it.
func (Driver) MemFreeHost(ctx abi.Context, p unsafe.Pointer) abi.Result {
	m := borrow()
	defer m.giveBack()
	return in(ctx, table.cuMemFreeHost, m.hold(p))
}

// MemHostGetDevicePointer returns its address for devices.
func (Driver) MemHostGetDevicePointer(ctx abi.Context, p unsafe.Pointer) (abi.Ptr, abi.Result) {
	m := borrow()
	defer m.giveBack()
	at, r := fetchIn(ctx, table.cuMemHostGetDevicePointer, m.hold(p), 0)
	return abi.Ptr(at), r
}

// MemHostRegister page-locks memory of the program.
func (Driver) MemHostRegister(ctx abi.Context, p unsafe.Pointer, bytes uint64, flags uint32) abi.Result {
	m := borrow()
	defer m.giveBack()
	return in(ctx, table.cuMemHostRegister, m.hold(p), uintptr(bytes), uintptr(flags))
}

// MemHostUnregister undoes that.
func (Driver) MemHostUnregister(ctx abi.Context, p unsafe.Pointer) abi.Result {
	m := borrow()
	defer m.giveBack()
	return in(ctx, table.cuMemHostUnregister, m.hold(p))
}

// PointerGetDevice returns the device of an address.
func (Driver) PointerGetDevice(p abi.Ptr) (int, abi.Result) {
	d, r := fetch(table.cuPointerGetAttribute, abi.PointerDeviceOrdinal, uintptr(p))
	return int(int32(d)), r
}
