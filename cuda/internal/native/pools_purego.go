//go:build !cgo && poolgen_purego && linux && (amd64 || arm64)

package native

import (
	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/layout"
)

// lastNarrow is the last attribute of pools that is an int; the others have 64 bits.
const lastNarrow = abi.PoolReuseAllowInternalDependencies

// MemAllocAsync allocates from the device's current pool, in the order of the stream.
func (Driver) MemAllocAsync(ctx abi.Context, bytes uint64, s abi.Stream) (abi.Ptr, abi.Result) {
	p, r := fetchIn(ctx, table.cuMemAllocAsync, uintptr(bytes), uintptr(s))
	return abi.Ptr(p), r
}

// MemAllocFromPoolAsync allocates from a pool, in the order of the stream.
func (Driver) MemAllocFromPoolAsync(ctx abi.Context, bytes uint64, p abi.Pool, s abi.Stream) (abi.Ptr, abi.Result) {
	at, r := fetchIn(ctx, table.cuMemAllocFromPoolAsync, uintptr(bytes), uintptr(p), uintptr(s))
	return abi.Ptr(at), r
}

// MemFreeAsync frees p to its pool.
func (Driver) MemFreeAsync(ctx abi.Context, p abi.Ptr, s abi.Stream) abi.Result {
	return in(ctx, table.cuMemFreeAsync, uintptr(p), uintptr(s))
}

// MemPoolCreate makes a pool.
func (Driver) MemPoolCreate(p abi.PoolProps) (abi.Pool, abi.Result) {
	m := borrow()
	defer m.giveBack()
	props := layout.PoolProps{Kind: p.Type, Handles: p.Handles, Location: layout.Location{Kind: p.Location, ID: p.ID}, MaxSize: p.MaxSize}
	pool, r := fetch(table.cuMemPoolCreate, place(m, props))
	return abi.Pool(pool), r
}

// MemPoolDestroy destroys a pool; its memory is released with the last block in use.
func (Driver) MemPoolDestroy(p abi.Pool) abi.Result { return call(table.cuMemPoolDestroy, uintptr(p)) }

// MemPoolTrimTo returns unused memory until keep bytes are left.
func (Driver) MemPoolTrimTo(p abi.Pool, keep uint64) abi.Result {
	return call(table.cuMemPoolTrimTo, uintptr(p), uintptr(keep))
}

// MemPoolGetAttribute reads an attribute at its own width.
func (Driver) MemPoolGetAttribute(p abi.Pool, attribute int32) (uint64, abi.Result) {
	m := borrow()
	defer m.giveBack()
	r := call(table.cuMemPoolGetAttribute, uintptr(p), uintptr(attribute), m.toFirst())
	if attribute <= lastNarrow {
		return uint64(int32(m.first)), r
	}
	return m.first, r
}

// MemPoolSetAttribute writes an attribute at its own width; the narrow ones are yes or no.
func (Driver) MemPoolSetAttribute(p abi.Pool, attribute int32, value uint64) abi.Result {
	if attribute <= lastNarrow && value != 0 {
		value = 1
	}
	m := borrow()
	defer m.giveBack()
	m.first = value
	return call(table.cuMemPoolSetAttribute, uintptr(p), uintptr(attribute), m.toFirst())
}

func onDevice(dev int) layout.Location {
	return layout.Location{Kind: abi.LocationDevice, ID: int32(dev)}
}

// accessOf describes the access rights of a device.
func accessOf(dev int, access int32) layout.AccessDesc {
	return layout.AccessDesc{Location: onDevice(dev), Flags: access}
}

// MemPoolSetAccess sets the access rights of a device.
func (Driver) MemPoolSetAccess(p abi.Pool, dev int, access int32) abi.Result {
	m := borrow()
	defer m.giveBack()
	return call(table.cuMemPoolSetAccess, uintptr(p), place(m, accessOf(dev, access)), 1)
}

// MemPoolGetAccess returns the access rights of a device.
func (Driver) MemPoolGetAccess(p abi.Pool, dev int) (int32, abi.Result) {
	m := borrow()
	defer m.giveBack()
	access, r := fetch(table.cuMemPoolGetAccess, uintptr(p), place(m, onDevice(dev)))
	return int32(access), r
}

// MemPoolExportFD makes a file descriptor for another process to import. The caller closes it.
func (Driver) MemPoolExportFD(p abi.Pool) (int, abi.Result) {
	return exported(table.cuMemPoolExportToShareableHandle, uintptr(p))
}

// exported returns the file descriptor that a function makes of a handle; -1: none.
func exported(f, handle uintptr) (int, abi.Result) {
	m := borrow()
	defer m.giveBack()
	m.first = 1<<64 - 1
	r := call(f, m.toFirst(), handle, abi.HandleFD, 0)
	return int(int32(m.first)), r
}

// MemPoolImportFD opens another process's pool. The descriptor stays the caller's.
func (Driver) MemPoolImportFD(fd int) (abi.Pool, abi.Result) {
	p, r := fetch(table.cuMemPoolImportFromShareableHandle, uintptr(fd), abi.HandleFD, 0)
	return abi.Pool(p), r
}

// MemPoolExportPointer describes a block of an exported pool for the other process.
func (Driver) MemPoolExportPointer(p abi.Ptr) ([64]byte, abi.Result) {
	m := borrow()
	defer m.giveBack()
	r := call(table.cuMemPoolExportPointer, place(m, [64]byte{}), uintptr(p))
	return placed[[64]byte](m), r
}

// MemPoolImportPointer returns the address of a block that was described.
func (Driver) MemPoolImportPointer(p abi.Pool, token [64]byte) (abi.Ptr, abi.Result) {
	m := borrow()
	defer m.giveBack()
	at, r := fetch(table.cuMemPoolImportPointer, uintptr(p), place(m, token))
	return abi.Ptr(at), r
}
