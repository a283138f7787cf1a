//go:build cgo && linux && (amd64 || arm64)

package native

// #include "table.h"
//
// typedef struct { uint64_t at, bytes; int32_t result; } global;
// typedef struct { int32_t grid, block, result; } potential;
//
// static global module_global(uint64_t ctx, uint64_t m, const uint8_t *name) {
//	address p = 0;
//	size_t n = 0;
//	int r = IN(ctx, cuModuleGetGlobal, &p, &n, H(m), (const char *)name);
//	return (global){p, n, r};
// }
// static number func_attribute(uint64_t ctx, uint64_t f, int what) {
//	int v = 0;
//	int r = IN(ctx, cuFuncGetAttribute, &v, what, H(f));
//	return (number){(uint64_t)v, r};
// }
// static int func_set_attribute(uint64_t ctx, uint64_t f, int what, int v) { return IN(ctx, cuFuncSetAttribute, H(f), what, v); }
// static number func_blocks(uint64_t ctx, uint64_t f, int block, uint64_t shared) {
//	int n = 0;
//	int r = IN(ctx, cuOccupancyMaxActiveBlocksPerMultiprocessor, &n, H(f), block, shared);
//	return (number){n, r};
// }
// static potential func_potential(uint64_t ctx, uint64_t f, uint64_t shared, int limit) {
//	int grid = 0, block = 0;
//	int r = IN(ctx, cuOccupancyMaxPotentialBlockSize, &grid, &block, H(f), 0, shared, limit);
//	return (potential){grid, block, r};
// }
import "C"

import "github.com/poolgen/poolgen/cuda/internal/abi"

// ModuleGetGlobal returns the address and the size of a variable by its name in PTX.
func (Driver) ModuleGetGlobal(ctx abi.Context, m abi.Module, name string) (abi.Ptr, uint64, abi.Result) {
	text := append([]byte(name), 0)
	r := C.module_global(C.uint64_t(ctx), C.uint64_t(m), (*C.uint8_t)(&text[0]))
	return abi.Ptr(r.at), uint64(r.bytes), abi.Result(r.result)
}

// FuncGetAttribute returns a property of a kernel.
func (Driver) FuncGetAttribute(ctx abi.Context, f abi.Function, attribute int32) (int32, abi.Result) {
	r := C.func_attribute(C.uint64_t(ctx), C.uint64_t(f), C.int(attribute))
	return int32(r.value), abi.Result(r.result)
}

// FuncSetAttribute changes one of those that can be changed, for later launches.
func (Driver) FuncSetAttribute(ctx abi.Context, f abi.Function, attribute, value int32) abi.Result {
	return abi.Result(C.func_set_attribute(C.uint64_t(ctx), C.uint64_t(f), C.int(attribute), C.int(value)))
}

// OccupancyMaxActiveBlocksPerMultiprocessor returns how many blocks of a size run on a multiprocessor at a time.
func (Driver) OccupancyMaxActiveBlocksPerMultiprocessor(ctx abi.Context, f abi.Function, block int32, shared uint64) (int32, abi.Result) {
	r := C.func_blocks(C.uint64_t(ctx), C.uint64_t(f), C.int(block), C.uint64_t(shared))
	return int32(r.value), abi.Result(r.result)
}

// OccupancyMaxPotentialBlockSize returns the block size with the highest occupancy, and the smallest grid that fills the device.
func (Driver) OccupancyMaxPotentialBlockSize(ctx abi.Context, f abi.Function, shared uint64, limit int32) (minGrid, block int32, _ abi.Result) {
	r := C.func_potential(C.uint64_t(ctx), C.uint64_t(f), C.uint64_t(shared), C.int(limit))
	return int32(r.grid), int32(r.block), abi.Result(r.result)
}
