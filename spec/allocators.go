package spec

import "slices"

// Memory is the form in which a pool hands out blocks.
type Memory string

const (
	HostMemory   Memory = "host"    // *T and []T
	DeviceSpans  Memory = "device"  // FooPtr and FooSpan
	TileMemory   Memory = "tiles"   // FooTiles
	NumberMemory Memory = "numbers" // FooID and FooIDs
)

// TileBytes is the size of one tile of a sparse texture.
const TileBytes = 64 << 10

// allocatorInfo describes an allocator for validation.
type allocatorInfo struct {
	memory Memory
	// granularity is the unit to which chunk sizes are rounded up: pages for host memory, and the driver's
	// pages of 2 MiB for virtual memory and tiles. Other allocators of the driver round to 512 bytes or more
	// by themselves.
	granularity int64
	// alignment is the default alignment of blocks; 0: the item's own. The driver promises 256 bytes for an allocation, and code may rely on that.
	alignment int64
	driver    bool   // needs a driver, and has streams
	pool      bool   // takes chunks from a memory pool of the driver
	calls     string // the calls that obtain and return a chunk; "none: " begins a text for allocators without such calls
}

var allocatorTable = map[Allocator]allocatorInfo{
	Host:          {memory: HostMemory, granularity: 4 << 10, calls: "none: an anonymous mapping (the Go heap under the race detector, and where there is no mmap)"},
	Custom:        {memory: HostMemory, granularity: 4 << 10, calls: "none of ours: the functions that alloc and free name"},
	Pinned:        {memory: HostMemory, granularity: 4 << 10, driver: true, calls: "cuMemHostAlloc, cuMemFreeHost"},
	Managed:       {memory: HostMemory, granularity: 64 << 10, driver: true, calls: "cuMemAllocManaged, cuMemFree"},
	DeviceMemory:  {memory: DeviceSpans, granularity: 512, alignment: 256, driver: true, calls: "cuMemAlloc, cuMemFree"},
	DeviceAsync:   {memory: DeviceSpans, granularity: 512, alignment: 256, driver: true, pool: true, calls: "cuMemAllocAsync, cuMemFreeAsync"},
	DevicePool:    {memory: DeviceSpans, granularity: 512, alignment: 256, driver: true, pool: true, calls: "cuMemPoolCreate once; cuMemAllocFromPoolAsync, cuMemFreeAsync"},
	DeviceVirtual: {memory: DeviceSpans, granularity: 2 << 20, alignment: 256, driver: true, calls: "cuMemAddressReserve once or more; cuMemCreate, cuMemMap and cuMemSetAccess, cuMemUnmap and cuMemRelease"},
	TextureTile:   {memory: TileMemory, granularity: 2 << 20, alignment: TileBytes, driver: true, calls: "cuMemCreate for tile pools, cuMemRelease"},
	NoAllocator:   {memory: NumberMemory, granularity: 1, alignment: 1, calls: "none: numbers are given by Track"},
}

// sharingTable lists the calls that share blocks with another process, and those that open and close them there.
var sharingTable = map[Allocator]string{
	DevicePool:    "cuMemPoolExportToShareableHandle, cuMemPoolExportPointer; cuMemPoolImportFromShareableHandle, cuMemPoolImportPointer, cuMemFree",
	DeviceVirtual: "cuMemExportToShareableHandle and a socket; cuMemAddressReserve, cuMemImportFromShareableHandle and cuMemMap, cuMemUnmap at Close",
}

// Shares reports whether blocks of the allocator can be shared with other processes.
func (a Allocator) Shares() bool { return sharingTable[a] != "" }

// Allocators lists the allocators that pool files may name, in the order of the language reference.
func Allocators() []Allocator {
	return []Allocator{Host, Pinned, Managed, DeviceMemory, DeviceAsync, DevicePool, DeviceVirtual, TextureTile, NoAllocator, Custom}
}

// Memory returns the form of the blocks in pools of an allocator.
func (a Allocator) Memory() Memory { return allocatorTable[a].memory }

// NeedsDriver reports whether the allocator calls the CUDA driver.
func (a Allocator) NeedsDriver() bool { return allocatorTable[a].driver }

// FromDriverPool reports whether chunks come from a memory pool of the driver.
func (a Allocator) FromDriverPool() bool { return allocatorTable[a].pool }

// Allocators lists the allocators that a running program may choose from. The first is the default.
func (p *Pool) Allocators() []Allocator { return append([]Allocator{p.Allocator}, p.Others...) }

// May reports whether a running program may choose an allocator.
func (p *Pool) May(a Allocator) bool { return a == p.Allocator || slices.Contains(p.Others, a) }

// NeedsDriver reports whether the pool may call the CUDA driver.
func (p *Pool) NeedsDriver() bool { return slices.ContainsFunc(p.Allocators(), Allocator.NeedsDriver) }

// FromDriverPool reports whether chunks may come from a memory pool of the driver.
func (p *Pool) FromDriverPool() bool {
	return slices.ContainsFunc(p.Allocators(), Allocator.FromDriverPool)
}

// mostVirtual is the most bytes of a pool with pages and without a largest limit: more than a device has.
const mostVirtual = 1 << 40

// Granule returns the unit in bytes to which blocks of many sizes are rounded up: the alignment of the pool, and at least 16 bytes, which
// suits every Go type. It is larger if the largest block would have too many units.
func (p *Pool) Granule() int64 {
	if p.Item.Kind == ItemNumber {
		return 1
	}
	g := max(p.Alignment, 16)
	largest := p.ChunkSize
	switch {
	case p.MaxLimit != NoLimit:
		largest = max(largest, p.MaxLimit)
	case p.Paged():
		largest = mostVirtual - 1
	case p.Limit != NoLimit:
		largest = max(largest, p.Limit)
	}
	for largest/g >= 1<<32 {
		g *= 2
	}
	return g
}

// TrimsOnFree reports whether frees have to detect that they empty a chunk.
func (p *Pool) TrimsOnFree() bool { return p.Trim != nil && p.Trim.When != TrimOnGrowth }

// Streams reports whether frees of the pool may come before the work on the block is done.
func (p *Pool) Streams() bool { return p.Ordering == Deferred || p.AllocsOnStreams() }

// AllocsOnStreams reports whether blocks are also allocated in the order of a stream.
func (p *Pool) AllocsOnStreams() bool { return p.Ordering == Stream || p.Ordering == ByDriver }

// ByDriver reports whether each block is allocated and freed by the driver, in the order of a stream.
func (p *Pool) ByDriver() bool { return p.Ordering == ByDriver }

// Stride returns the distance in bytes of the blocks of an item-form pool (1 for numbers), and the size
// of one item for other pools. It is 0 if only the compiler of the output knows it.
func (p *Pool) Stride() int64 {
	switch {
	case p.Item.Kind == ItemNumber:
		return 1
	case p.BlockSize > 0:
		return p.BlockSize
	case p.Item.Size < 0:
		return 0
	case p.ItemForm() && p.Alignment > 0:
		return roundUp(p.Item.Size, p.Alignment)
	}
	return p.Item.Size
}
