//go:build cgo && linux && (amd64 || arm64)

package native

// #cgo noescape pool_create
// #cgo nocallback pool_create
// #cgo noescape pool_import_pointer
// #cgo nocallback pool_import_pointer
// #include "table.h"
//
// #define FD 1
// #define LAST_INT 3 // attributes up to here are int, the others 64 bits wide
//
// typedef struct { struct pointer_token token; int32_t result; } token;
//
// static number pool_alloc_async(uint64_t ctx, uint64_t n, uint64_t s) {
//	address p = 0;
//	int r = IN(ctx, cuMemAllocAsync, &p, n, H(s));
//	return (number){p, r};
// }
// static number pool_alloc_from(uint64_t ctx, uint64_t n, uint64_t pool, uint64_t s) {
//	address p = 0;
//	int r = IN(ctx, cuMemAllocFromPoolAsync, &p, n, H(pool), H(s));
//	return (number){p, r};
// }
// static int pool_free_async(uint64_t ctx, uint64_t p, uint64_t s) { return IN(ctx, cuMemFreeAsync, p, H(s)); }
// static number pool_create(const struct pool_props *props) {
//	handle p = 0;
//	int r = CALL(cuMemPoolCreate, &p, props);
//	return (number){N(p), r};
// }
// static int pool_destroy(uint64_t pool) { return CALL(cuMemPoolDestroy, H(pool)); }
// static int pool_trim(uint64_t pool, uint64_t keep) { return CALL(cuMemPoolTrimTo, H(pool), keep); }
// static number pool_get(uint64_t pool, int what) {
//	int narrow = 0;
//	uint64_t wide = 0;
//	int r = CALL(cuMemPoolGetAttribute, H(pool), what, what <= LAST_INT ? (void *)&narrow : (void *)&wide);
//	return (number){what <= LAST_INT ? (uint64_t)narrow : wide, r};
// }
// static int pool_set(uint64_t pool, int what, uint64_t wide) {
//	int narrow = wide != 0;
//	return CALL(cuMemPoolSetAttribute, H(pool), what, what <= LAST_INT ? (void *)&narrow : (void *)&wide);
// }
// static int pool_set_access(uint64_t pool, int dev, int access) {
//	struct access_desc d = {{1, dev}, access};
//	return CALL(cuMemPoolSetAccess, H(pool), &d, 1);
// }
// static number pool_get_access(uint64_t pool, int dev) {
//	struct location at = {1, dev};
//	int access = 0;
//	int r = CALL(cuMemPoolGetAccess, &access, H(pool), &at);
//	return (number){access, r};
// }
// static number pool_export(uint64_t pool) {
//	int fd = -1;
//	int r = CALL(cuMemPoolExportToShareableHandle, &fd, H(pool), FD, 0);
//	return (number){fd, r};
// }
// static number pool_import(int fd) {
//	handle p = 0;
//	int r = CALL(cuMemPoolImportFromShareableHandle, &p, (void *)(intptr_t)fd, FD, 0);
//	return (number){N(p), r};
// }
// static token pool_export_pointer(uint64_t p) {
//	token t = {{{0}}};
//	t.result = CALL(cuMemPoolExportPointer, &t.token, p);
//	return t;
// }
// static number pool_import_pointer(uint64_t pool, struct pointer_token *t) {
//	address p = 0;
//	int r = CALL(cuMemPoolImportPointer, &p, H(pool), t);
//	return (number){p, r};
// }
import "C"

import (
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// MemAllocAsync allocates from the device's current pool, in the order of the stream.
func (Driver) MemAllocAsync(ctx abi.Context, bytes uint64, s abi.Stream) (abi.Ptr, abi.Result) {
	r := C.pool_alloc_async(C.uint64_t(ctx), C.uint64_t(bytes), C.uint64_t(s))
	return abi.Ptr(r.value), abi.Result(r.result)
}

// MemAllocFromPoolAsync allocates from a pool, in the order of the stream.
func (Driver) MemAllocFromPoolAsync(ctx abi.Context, bytes uint64, p abi.Pool, s abi.Stream) (abi.Ptr, abi.Result) {
	r := C.pool_alloc_from(C.uint64_t(ctx), C.uint64_t(bytes), C.uint64_t(p), C.uint64_t(s))
	return abi.Ptr(r.value), abi.Result(r.result)
}

// MemFreeAsync frees p to its pool.
func (Driver) MemFreeAsync(ctx abi.Context, p abi.Ptr, s abi.Stream) abi.Result {
	return abi.Result(C.pool_free_async(C.uint64_t(ctx), C.uint64_t(p), C.uint64_t(s)))
}

// MemPoolCreate makes a pool.
func (Driver) MemPoolCreate(p abi.PoolProps) (abi.Pool, abi.Result) {
	props := C.struct_pool_props{
		_type:    C.int32_t(p.Type),
		handles:  C.int32_t(p.Handles),
		location: C.struct_location{_type: C.int32_t(p.Location), id: C.int32_t(p.ID)},
		max_size: C.uint64_t(p.MaxSize),
	}
	r := C.pool_create(&props)
	return abi.Pool(r.value), abi.Result(r.result)
}

// MemPoolDestroy destroys a pool; its memory is released with the last block in use.
func (Driver) MemPoolDestroy(p abi.Pool) abi.Result {
	return abi.Result(C.pool_destroy(C.uint64_t(p)))
}

// MemPoolTrimTo returns unused memory until keep bytes are left.
func (Driver) MemPoolTrimTo(p abi.Pool, keep uint64) abi.Result {
	return abi.Result(C.pool_trim(C.uint64_t(p), C.uint64_t(keep)))
}

// MemPoolGetAttribute reads an attribute at its own width.
func (Driver) MemPoolGetAttribute(p abi.Pool, attribute int32) (uint64, abi.Result) {
	r := C.pool_get(C.uint64_t(p), C.int(attribute))
	return uint64(r.value), abi.Result(r.result)
}

// MemPoolSetAttribute writes an attribute at its own width; the narrow ones are yes or no.
func (Driver) MemPoolSetAttribute(p abi.Pool, attribute int32, value uint64) abi.Result {
	return abi.Result(C.pool_set(C.uint64_t(p), C.int(attribute), C.uint64_t(value)))
}

// MemPoolSetAccess sets the access rights of a device.
func (Driver) MemPoolSetAccess(p abi.Pool, dev int, access int32) abi.Result {
	return abi.Result(C.pool_set_access(C.uint64_t(p), C.int(dev), C.int(access)))
}

// MemPoolGetAccess returns the access rights of a device.
func (Driver) MemPoolGetAccess(p abi.Pool, dev int) (int32, abi.Result) {
	r := C.pool_get_access(C.uint64_t(p), C.int(dev))
	return int32(r.value), abi.Result(r.result)
}

// MemPoolExportFD makes a file descriptor for another process to import. The caller closes it.
func (Driver) MemPoolExportFD(p abi.Pool) (int, abi.Result) {
	r := C.pool_export(C.uint64_t(p))
	return int(int32(r.value)), abi.Result(r.result)
}

// MemPoolImportFD opens another process's pool. The descriptor stays the caller's.
func (Driver) MemPoolImportFD(fd int) (abi.Pool, abi.Result) {
	r := C.pool_import(C.int(fd))
	return abi.Pool(r.value), abi.Result(r.result)
}

// MemPoolExportPointer describes a block of an exported pool for the other process.
func (Driver) MemPoolExportPointer(p abi.Ptr) ([64]byte, abi.Result) {
	t := C.pool_export_pointer(C.uint64_t(p))
	return *(*[64]byte)(unsafe.Pointer(&t.token)), abi.Result(t.result)
}

// MemPoolImportPointer returns the address of a block that was described.
func (Driver) MemPoolImportPointer(p abi.Pool, token [64]byte) (abi.Ptr, abi.Result) {
	t := *(*C.struct_pointer_token)(unsafe.Pointer(&token))
	r := C.pool_import_pointer(C.uint64_t(p), &t)
	return abi.Ptr(r.value), abi.Result(r.result)
}
