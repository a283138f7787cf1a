package cuda

import (
	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/driver"
)

// Memory is physical memory, which is used by mapping it to addresses. It is a small value that can be copied.
type Memory struct {
	handle   uint64
	size     int64
	device   Device
	borrowed bool // borrowed: its owner releases it
}

// MemoryProps describes physical memory to be made. The zero value is memory of the device, for this process.
type MemoryProps struct {
	Handles  HandleType // how other processes may open it
	Location Location
	Node     int  // NUMA node, for HostNUMA
	TilePool bool // for tiles of sparse arrays; cannot be mapped to addresses
}

func (p MemoryProps) abi(d Device) abi.MemoryProps {
	q := abi.MemoryProps{Handles: int32(p.Handles), TilePool: p.TilePool}
	q.Location, q.ID = p.Location.where(d, p.Node)
	return q
}

// Granularity returns the unit in bytes of which sizes, addresses and offsets of such memory must be multiples, and the recommended unit; both are
// usually 2 MiB.
func (d Device) Granularity(p MemoryProps) (minimum, recommended int64, err error) {
	const op = "MemGetAllocationGranularity"
	t, _, err := d.table()
	if err != nil {
		return 0, 0, err
	}
	least, r := t.MemGetAllocationGranularity(p.abi(d), false)
	if r != abi.Success {
		return 0, 0, failure(r, op, d, 0, "")
	}
	best, r := t.MemGetAllocationGranularity(p.abi(d), true)
	return int64(least), int64(best), check(r, op, d, 0)
}

// NewMemory makes physical memory, a multiple of the granularity. It takes about a tenth of a millisecond, for 2 MiB as
// well as for some hundred times as much.
func (d Device) NewMemory(bytes int64, p MemoryProps) (Memory, error) {
	const op = "MemCreate"
	t, _, err := d.sized(op, bytes)
	if err != nil {
		return Memory{}, err
	}
	h, r := t.MemCreate(uint64(bytes), p.abi(d))
	return Memory{handle: uint64(h), size: bytes, device: d}, check(r, op, d, bytes)
}

// BorrowMemory returns physical memory that another binding or a pool of tiles has made, by the driver's handle. It can be mapped and bound; its size
// is not known, and Close returns an error.
func BorrowMemory(handle uint64) Memory {
	return Memory{handle: handle, device: nowhere, borrowed: true}
}

// Handle returns the driver's handle (CUmemGenericAllocationHandle).
func (m Memory) Handle() uint64 { return m.handle }

// Size returns the size in bytes, 0 for borrowed memory.
func (m Memory) Size() int64 { return m.size }

// Close releases the memory. It is returned to the system when no mapping of it is left.
func (m Memory) Close() error {
	if m.borrowed {
		return refuse("MemRelease", m.device, 0, "the memory is borrowed: it is for its owner to close")
	}
	return check(driver.Table().MemRelease(abi.Memory(m.handle)), "MemRelease", m.device, m.size)
}

// Map maps the memory, from an offset on, to reserved addresses that have no memory. No device may use them before SetAccess.
func (m Memory) Map(at DevicePtr, bytes, offset int64) error {
	const op = "MemMap"
	if bytes <= 0 || offset < 0 {
		return refuse(op, m.device, bytes, "the size must be above 0 and the offset not below")
	}
	r := driver.Table().MemMap(abi.Ptr(at), uint64(bytes), uint64(offset), abi.Memory(m.handle))
	return check(r, op, m.device, bytes)
}

// ReserveAddresses returns a range of addresses to which memory can be mapped. Its size is a multiple of the granularity. It costs no
// memory. The addresses are the same on all devices. align is a power of two, or 0 for the driver's default.
func ReserveAddresses(bytes, align int64) (DevicePtr, error) {
	const op = "MemAddressReserve"
	if err := Probe(); err != nil {
		return 0, err
	}
	if bytes <= 0 || align < 0 {
		return 0, refuse(op, nowhere, bytes, "the size must be above 0 and the alignment not below")
	}
	p, r := driver.Table().MemAddressReserve(uint64(bytes), uint64(align))
	return DevicePtr(p), check(r, op, nowhere, bytes)
}

// FreeAddresses frees a whole range. No memory may be mapped to it.
func FreeAddresses(p DevicePtr, bytes int64) error {
	return check(driver.Table().MemAddressFree(abi.Ptr(p), uint64(bytes)), "MemAddressFree", nowhere, bytes)
}

// Unmap unmaps memory from addresses. They must be the ranges of one or several calls of Map. Work that still uses them fails: synchronize before.
func Unmap(at DevicePtr, bytes int64) error {
	return check(driver.Table().MemUnmap(abi.Ptr(at), uint64(bytes)), "MemUnmap", nowhere, bytes)
}

// SetAccess sets the access right of a device to addresses that have memory.
func SetAccess(at DevicePtr, bytes int64, d Device, a Access) error {
	return check(driver.Table().MemSetAccess(abi.Ptr(at), uint64(bytes), int(d), int32(a)), "MemSetAccess", d, bytes)
}
