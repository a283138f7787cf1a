package cuda

import (
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// DevicePtr is an address on a device: a number, which must not be converted to a Go pointer. 0 means no address.
type DevicePtr uint64

// Add returns the address n bytes further.
func (p DevicePtr) Add(n int64) DevicePtr { return p + DevicePtr(n) }

// Alloc returns memory of the device, aligned to at least 256 bytes, with arbitrary content. It takes microseconds to
// milliseconds and may wait for all work of the device: it is for chunks, not for blocks. It fails while another binding captures
// a stream in mode global.
func (d Device) Alloc(bytes int64) (DevicePtr, error) {
	const op = "MemAlloc"
	t, ctx, err := d.sized(op, bytes)
	if err != nil {
		return 0, err
	}
	p, r := t.MemAlloc(ctx, uint64(bytes))
	return DevicePtr(p), check(r, op, d, bytes)
}

// Free frees memory of Alloc, or managed memory by its address. It waits for all work of the device. 0 is ignored.
func (d Device) Free(p DevicePtr) error {
	if p == 0 {
		return nil
	}
	t, ctx, err := d.table()
	if err != nil {
		return err
	}
	return check(t.MemFree(ctx, abi.Ptr(p)), "MemFree", d, 0)
}

// HostFlags are options of page-locked memory. All devices can access such memory, whatever the flags.
type HostFlags uint32

// WriteCombined memory is faster for the host to write and for devices to read across the bus, and very slow for the host to read.
const WriteCombined HostFlags = abi.HostWriteCombined

// AllocHost returns page-locked memory of the host, which devices copy from and to at full speed, without blocking the caller.
// The memory is outside the Go heap and must hold no Go pointers. The system cannot move or swap it. AllocHost takes about a
// millisecond per 4 MiB.
func (d Device) AllocHost(bytes int64, flags HostFlags) ([]byte, error) {
	const op = "MemHostAlloc"
	t, ctx, err := d.sized(op, bytes)
	if err != nil {
		return nil, err
	}
	p, r := t.MemHostAlloc(ctx, uint64(bytes), uint32(flags)|abi.HostPortable|abi.HostDeviceMap)
	if r != abi.Success {
		return nil, failure(r, op, d, bytes, "")
	}
	return unsafe.Slice((*byte)(p), bytes), nil
}

// FreeHost frees a whole slice of AllocHost. No copy may be using it. An empty slice is ignored.
func (d Device) FreeHost(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	t, ctx, err := d.table()
	if err != nil {
		return err
	}
	return check(t.MemFreeHost(ctx, unsafe.Pointer(unsafe.SliceData(b))), "MemFreeHost", d, int64(len(b)))
}

// HostAddress returns the address for devices of memory of AllocHost or [Device.RegisterHost].
func (d Device) HostAddress(b []byte) (DevicePtr, error) {
	const op = "MemHostGetDevicePointer"
	t, ctx, err := d.sized(op, int64(len(b)))
	if err != nil {
		return 0, err
	}
	p, r := t.MemHostGetDevicePointer(ctx, unsafe.Pointer(unsafe.SliceData(b)))
	return DevicePtr(p), check(r, op, d, 0)
}

// AllocManaged returns memory that the host and all devices access at the same address. The driver moves its pages to where they are
// used. Unless the device has [ConcurrentManagedAccess], the host must not touch it while a kernel runs. It must hold no Go
// pointers.
func (d Device) AllocManaged(bytes int64) ([]byte, error) {
	const op = "MemAllocManaged"
	t, ctx, err := d.sized(op, bytes)
	if err != nil {
		return nil, err
	}
	p, r := t.MemAllocManaged(ctx, uint64(bytes), abi.ManagedGlobal)
	if r != abi.Success {
		return nil, failure(r, op, d, bytes, "")
	}
	return unsafe.Slice((*byte)(p), bytes), nil
}

// FreeManaged frees a whole slice of AllocManaged. It waits for all work of the device. An empty slice is ignored.
func (d Device) FreeManaged(b []byte) error { return d.Free(AddressOf(b)) }

// AddressOf returns the address of managed memory as a number, for copies and kernels; 0 for an empty slice.
func AddressOf(b []byte) DevicePtr {
	if len(b) == 0 {
		return 0
	}
	return DevicePtr(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
}

// sized is like table, for calls that require a size above 0.
func (d Device) sized(op string, bytes int64) (abi.Driver, abi.Context, error) {
	if bytes <= 0 {
		return nil, 0, refuse(op, d, bytes, "the size must be above 0")
	}
	return d.table()
}
