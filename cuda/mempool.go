package cuda

import (
	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/driver"
)

// MemPool is a memory pool of the driver: memory is allocated and freed in the order of streams. It is a small value that can be copied and compared.
type MemPool struct {
	handle uintptr
	device Device
}

// MemPoolProps describes a pool to be made. The zero value is a pool of the device's memory without a limit, for this process.
type MemPoolProps struct {
	MaxSize  int64      // 0 is no limit; drivers before CUDA 12.2 support no limit
	Handles  HandleType // how other processes may open it; HandleNone is not at all
	Location Location
	Node     int // NUMA node, for HostNUMA
}

// HandleType is a way to share memory with another process.
type HandleType int32

// Ways to share memory with another process.
const (
	HandleNone           = HandleType(abi.HandleNone)
	HandleFileDescriptor = HandleType(abi.HandleFD)
)

// Location is the place of memory.
type Location int32

// Places for memory. Drivers support the host's since CUDA 12.2 and 13; see the attributes [HostMemPoolsSupported] and [HostNUMAMemPoolsSupported].
const (
	OnDevice Location = iota
	Host
	HostNUMA
)

// where returns the driver's value for a place, and the number of the device or node.
func (l Location) where(d Device, node int) (kind, id int32) {
	switch l {
	case Host:
		return abi.LocationHost, 0
	case HostNUMA:
		return abi.LocationHostNUMA, int32(node)
	default:
		return abi.LocationDevice, int32(d)
	}
}

// NewMemPool makes a pool. It takes some hundred microseconds.
func (d Device) NewMemPool(p MemPoolProps) (MemPool, error) {
	const op = "MemPoolCreate"
	t, _, err := d.table()
	if err != nil {
		return MemPool{}, err
	}
	if p.MaxSize < 0 {
		return MemPool{}, refuse(op, d, p.MaxSize, "the size is negative")
	}
	props := abi.PoolProps{Type: abi.AllocationPinned, Handles: int32(p.Handles), MaxSize: uint64(p.MaxSize)}
	props.Location, props.ID = p.Location.where(d, p.Node)
	h, r := t.MemPoolCreate(props)
	return MemPool{uintptr(h), d}, check(r, op, d, p.MaxSize)
}

// DefaultMemPool returns the pool that the driver made for the device. The whole process shares it; it cannot be closed.
func (d Device) DefaultMemPool() (MemPool, error) {
	h, r := driver.Table().DeviceGetDefaultMemPool(int(d))
	return MemPool{uintptr(h), d}, check(r, "DeviceGetDefaultMemPool", d, 0)
}

// CurrentMemPool returns the pool that AllocAsync allocates from: the default one unless another was set.
func (d Device) CurrentMemPool() (MemPool, error) {
	h, r := driver.Table().DeviceGetMemPool(int(d))
	return MemPool{uintptr(h), d}, check(r, "DeviceGetMemPool", d, 0)
}

// SetMemPool makes p the current pool of the device, for the whole process.
func (d Device) SetMemPool(p MemPool) error {
	r := driver.Table().DeviceSetMemPool(int(d), abi.Pool(p.handle))
	return check(r, "DeviceSetMemPool", d, 0)
}

// AllocAsync allocates memory from the current pool of the stream's device. Work queued on the stream from now on may use it; work of other streams
// may use it once it is made to wait for that. The memory is aligned to at least 256 bytes, with arbitrary content. The call takes about a
// microsecond if the pool has memory, and up to milliseconds if it must get some.
func AllocAsync(bytes int64, s Stream) (DevicePtr, error) {
	const op = "MemAllocAsync"
	if bytes <= 0 {
		return 0, refuse(op, s.device, bytes, "the size must be above 0")
	}
	t, ctx, h, err := s.table()
	if err != nil {
		return 0, err
	}
	p, r := t.MemAllocAsync(ctx, uint64(bytes), h)
	return DevicePtr(p), check(r, op, s.device, bytes)
}

// AllocAsync allocates memory from the pool, like the function AllocAsync.
func (p MemPool) AllocAsync(bytes int64, s Stream) (DevicePtr, error) {
	const op = "MemAllocFromPoolAsync"
	if bytes <= 0 {
		return 0, refuse(op, s.device, bytes, "the size must be above 0")
	}
	t, ctx, h, err := s.table()
	if err != nil {
		return 0, err
	}
	at, r := t.MemAllocFromPoolAsync(ctx, uint64(bytes), abi.Pool(p.handle), h)
	return DevicePtr(at), check(r, op, s.device, bytes)
}

// FreeAsync returns memory of AllocAsync to its pool once the stream has passed the free: work queued before may still use the memory. Work of other
// streams that uses it must be done, or s must wait for it. 0 is ignored.
func FreeAsync(p DevicePtr, s Stream) error {
	if p == 0 {
		return nil
	}
	t, ctx, h, err := s.table()
	if err != nil {
		return err
	}
	return check(t.MemFreeAsync(ctx, abi.Ptr(p), h), "MemFreeAsync", s.device, 0)
}

// Handle returns the driver's handle (CUmemoryPool).
func (p MemPool) Handle() uintptr { return p.handle }

// Device returns the device for which the pool was made.
func (p MemPool) Device() Device { return p.device }

// Trim returns unused memory to the system until keep bytes are left. Memory counts as in use until the driver has seen its free completed: synchronize
// first to return all.
func (p MemPool) Trim(keep int64) error {
	const op = "MemPoolTrimTo"
	if keep < 0 {
		return refuse(op, p.device, keep, "the size is negative")
	}
	return check(driver.Table().MemPoolTrimTo(abi.Pool(p.handle), uint64(keep)), op, p.device, keep)
}

// Close destroys a pool of NewMemPool or ImportMemPool. Memory allocated from it stays usable until it is freed.
func (p MemPool) Close() error {
	return check(driver.Table().MemPoolDestroy(abi.Pool(p.handle)), "MemPoolDestroy", p.device, 0)
}
