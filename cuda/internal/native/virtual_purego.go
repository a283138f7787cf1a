//go:build !cgo && poolgen_purego && linux && (amd64 || arm64)

package native

import (
	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/layout"
)

func allocationOf(p abi.MemoryProps) layout.AllocationProps {
	props := layout.AllocationProps{Kind: abi.AllocationPinned, Handles: p.Handles, Location: layout.Location{Kind: p.Location, ID: p.ID}}
	if p.TilePool {
		props.Usage = abi.UsageTilePool
	}
	if p.RDMA {
		props.RDMA = 1
	}
	return props
}

// MemAddressReserve reserves a range of addresses without memory.
func (Driver) MemAddressReserve(bytes, align uint64) (abi.Ptr, abi.Result) {
	p, r := fetch(table.cuMemAddressReserve, uintptr(bytes), uintptr(align), 0, 0)
	return abi.Ptr(p), r
}

// MemAddressFree releases a whole range.
func (Driver) MemAddressFree(p abi.Ptr, bytes uint64) abi.Result {
	return call(table.cuMemAddressFree, uintptr(p), uintptr(bytes))
}

// MemGetAllocationGranularity returns the unit of which sizes must be, or should be, multiples.
func (Driver) MemGetAllocationGranularity(p abi.MemoryProps, recommended bool) (uint64, abi.Result) {
	m := borrow()
	defer m.giveBack()
	which := uintptr(0)
	if recommended {
		which = 1
	}
	return fetch(table.cuMemGetAllocationGranularity, place(m, allocationOf(p)), which)
}

// MemCreate makes physical memory.
func (Driver) MemCreate(bytes uint64, p abi.MemoryProps) (abi.Memory, abi.Result) {
	m := borrow()
	defer m.giveBack()
	memory, r := fetch(table.cuMemCreate, uintptr(bytes), place(m, allocationOf(p)), 0)
	return abi.Memory(memory), r
}

// MemRelease releases a handle; the memory is released with the last mapping.
func (Driver) MemRelease(m abi.Memory) abi.Result { return call(table.cuMemRelease, uintptr(m)) }

// MemMap maps memory to addresses; no device may use them before MemSetAccess.
func (Driver) MemMap(at abi.Ptr, bytes, offset uint64, m abi.Memory) abi.Result {
	return call(table.cuMemMap, uintptr(at), uintptr(bytes), uintptr(offset), uintptr(m), 0)
}

// MemUnmap unmaps it. Work that still uses it fails.
func (Driver) MemUnmap(at abi.Ptr, bytes uint64) abi.Result {
	return call(table.cuMemUnmap, uintptr(at), uintptr(bytes))
}

// MemSetAccess sets the access rights of a device.
func (Driver) MemSetAccess(at abi.Ptr, bytes uint64, dev int, access int32) abi.Result {
	m := borrow()
	defer m.giveBack()
	return call(table.cuMemSetAccess, uintptr(at), uintptr(bytes), place(m, accessOf(dev, access)), 1)
}

// MemExportFD makes a file descriptor. The caller closes it.
func (Driver) MemExportFD(m abi.Memory) (int, abi.Result) {
	return exported(table.cuMemExportToShareableHandle, uintptr(m))
}

// MemImportFD opens physical memory of another process.
func (Driver) MemImportFD(fd int) (abi.Memory, abi.Result) {
	m, r := fetch(table.cuMemImportFromShareableHandle, uintptr(fd), abi.HandleFD)
	return abi.Memory(m), r
}
