//go:build !cgo && poolgen_purego && linux && (amd64 || arm64)

package native

import (
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// ModuleGetGlobal returns the address and the size of a variable by its name in PTX.
func (Driver) ModuleGetGlobal(ctx abi.Context, module abi.Module, name string) (abi.Ptr, uint64, abi.Result) {
	m := borrow()
	defer m.giveBack()
	r := in(ctx, table.cuModuleGetGlobal, m.toFirst(), m.toSecond(), uintptr(module), m.hold(unsafe.Pointer(terminated(name))))
	return abi.Ptr(m.first), m.second, r
}

// FuncGetAttribute returns a property of a kernel.
func (Driver) FuncGetAttribute(ctx abi.Context, f abi.Function, attribute int32) (int32, abi.Result) {
	v, r := fetchIn(ctx, table.cuFuncGetAttribute, uintptr(attribute), uintptr(f))
	return int32(v), r
}

// FuncSetAttribute changes one of those that can be changed, for later launches.
func (Driver) FuncSetAttribute(ctx abi.Context, f abi.Function, attribute, value int32) abi.Result {
	return in(ctx, table.cuFuncSetAttribute, uintptr(f), uintptr(attribute), uintptr(value))
}

// OccupancyMaxActiveBlocksPerMultiprocessor returns how many blocks of a size run on a multiprocessor at a time.
func (Driver) OccupancyMaxActiveBlocksPerMultiprocessor(ctx abi.Context, f abi.Function, block int32, shared uint64) (int32, abi.Result) {
	n, r := fetchIn(ctx, table.cuOccupancyMaxActiveBlocksPerMultiprocessor, uintptr(f), uintptr(block), uintptr(shared))
	return int32(n), r
}

// OccupancyMaxPotentialBlockSize returns the block size with the highest occupancy, and the smallest grid that fills the device.
func (Driver) OccupancyMaxPotentialBlockSize(ctx abi.Context, f abi.Function, shared uint64, limit int32) (minGrid, block int32, r abi.Result) {
	m := borrow()
	defer m.giveBack()
	r = in(ctx, table.cuOccupancyMaxPotentialBlockSize, m.toFirst(), m.toSecond(), uintptr(f), 0, uintptr(shared), uintptr(limit))
	return int32(m.first), int32(m.second), r
}
