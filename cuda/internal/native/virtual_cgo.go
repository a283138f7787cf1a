//go:build cgo && linux && (amd64 || arm64)

package native

// #cgo noescape virtual_granularity
// #cgo nocallback virtual_granularity
// #cgo noescape virtual_create
// #cgo nocallback virtual_create
// #include "table.h"
//
// #define FD 1
//
// static number virtual_reserve(uint64_t n, uint64_t align) {
//	address p = 0;
//	int r = CALL(cuMemAddressReserve, &p, n, align, 0, 0);
//	return (number){p, r};
// }
// static int virtual_unreserve(uint64_t p, uint64_t n) { return CALL(cuMemAddressFree, p, n); }
// static number virtual_granularity(const struct allocation_props *props, int recommended) {
//	size_t n = 0;
//	int r = CALL(cuMemGetAllocationGranularity, &n, props, recommended);
//	return (number){n, r};
// }
// static number virtual_create(uint64_t n, const struct allocation_props *props) {
//	uint64_t m = 0;
//	int r = CALL(cuMemCreate, &m, n, props, 0);
//	return (number){m, r};
// }
// static int virtual_release(uint64_t m) { return CALL(cuMemRelease, m); }
// static int virtual_map(uint64_t at, uint64_t n, uint64_t off, uint64_t m) { return CALL(cuMemMap, at, n, off, m, 0); }
// static int virtual_unmap(uint64_t at, uint64_t n) { return CALL(cuMemUnmap, at, n); }
// static int virtual_access(uint64_t at, uint64_t n, int dev, int access) {
//	struct access_desc d = {{1, dev}, access};
//	return CALL(cuMemSetAccess, at, n, &d, 1);
// }
// static number virtual_export(uint64_t m) {
//	int fd = -1;
//	int r = CALL(cuMemExportToShareableHandle, &fd, m, FD, 0);
//	return (number){fd, r};
// }
// static number virtual_import(int fd) {
//	uint64_t m = 0;
//	int r = CALL(cuMemImportFromShareableHandle, &m, (void *)(intptr_t)fd, FD);
//	return (number){m, r};
// }
import "C"

import "github.com/poolgen/poolgen/cuda/internal/abi"

func allocationProps(p abi.MemoryProps) C.struct_allocation_props {
	props := C.struct_allocation_props{
		_type:    abi.AllocationPinned,
		handles:  C.int32_t(p.Handles),
		location: C.struct_location{_type: C.int32_t(p.Location), id: C.int32_t(p.ID)},
	}
	if p.TilePool {
		props.usage = abi.UsageTilePool
	}
	if p.RDMA {
		props.rdma = 1
	}
	return props
}

// MemAddressReserve reserves a range of addresses without memory.
func (Driver) MemAddressReserve(bytes, align uint64) (abi.Ptr, abi.Result) {
	r := C.virtual_reserve(C.uint64_t(bytes), C.uint64_t(align))
	return abi.Ptr(r.value), abi.Result(r.result)
}

// MemAddressFree releases a whole range.
func (Driver) MemAddressFree(p abi.Ptr, bytes uint64) abi.Result {
	return abi.Result(C.virtual_unreserve(C.uint64_t(p), C.uint64_t(bytes)))
}

// MemGetAllocationGranularity returns the unit of which sizes must be, or should be, multiples.
func (Driver) MemGetAllocationGranularity(p abi.MemoryProps, recommended bool) (uint64, abi.Result) {
	props, which := allocationProps(p), C.int(0)
	if recommended {
		which = 1
	}
	r := C.virtual_granularity(&props, which)
	return uint64(r.value), abi.Result(r.result)
}

// MemCreate makes physical memory.
func (Driver) MemCreate(bytes uint64, p abi.MemoryProps) (abi.Memory, abi.Result) {
	props := allocationProps(p)
	r := C.virtual_create(C.uint64_t(bytes), &props)
	return abi.Memory(r.value), abi.Result(r.result)
}

// MemRelease releases a handle; the memory is released with the last mapping.
func (Driver) MemRelease(m abi.Memory) abi.Result {
	return abi.Result(C.virtual_release(C.uint64_t(m)))
}

// MemMap maps memory to addresses; no device may use them before MemSetAccess.
func (Driver) MemMap(at abi.Ptr, bytes, offset uint64, m abi.Memory) abi.Result {
	return abi.Result(C.virtual_map(C.uint64_t(at), C.uint64_t(bytes), C.uint64_t(offset), C.uint64_t(m)))
}

// MemUnmap unmaps it. Work that still uses it fails.
func (Driver) MemUnmap(at abi.Ptr, bytes uint64) abi.Result {
	return abi.Result(C.virtual_unmap(C.uint64_t(at), C.uint64_t(bytes)))
}

// MemSetAccess sets the access rights of a device.
func (Driver) MemSetAccess(at abi.Ptr, bytes uint64, dev int, access int32) abi.Result {
	return abi.Result(C.virtual_access(C.uint64_t(at), C.uint64_t(bytes), C.int(dev), C.int(access)))
}

// MemExportFD makes a file descriptor. The caller closes it.
func (Driver) MemExportFD(m abi.Memory) (int, abi.Result) {
	r := C.virtual_export(C.uint64_t(m))
	return int(int32(r.value)), abi.Result(r.result)
}

// MemImportFD opens physical memory of another process.
func (Driver) MemImportFD(fd int) (abi.Memory, abi.Result) {
	r := C.virtual_import(C.int(fd))
	return abi.Memory(r.value), abi.Result(r.result)
}
