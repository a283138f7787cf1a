// Package layout has the structs that are passed to the driver by address, in Go, which lays them out as C does on 64-bit platforms. They are those of
// native/layout.h; addresses in them are numbers, because Go must not see pointers of C, and C none of Go.
package layout

// Location is CUmemLocation.
type Location struct{ Kind, ID int32 }

// AccessDesc is CUmemAccessDesc.
type AccessDesc struct {
	Location Location
	Flags    int32
}

// PoolProps is CUmemPoolProps.
type PoolProps struct {
	Kind, Handles     int32
	Location          Location
	Security, MaxSize uint64
	Usage             uint16
	_                 [54]uint8
}

// AllocationProps is CUmemAllocationProp.
type AllocationProps struct {
	Kind, Handles     int32
	Location          Location
	Win32             uint64
	Compression, RDMA uint8
	Usage             uint16
	_                 [4]uint8
}

// ArrayDesc is CUDA_ARRAY3D_DESCRIPTOR.
type ArrayDesc struct {
	Width, Height, Depth    uint64
	Format, Channels, Flags uint32
}

// SparseProps is CUDA_ARRAY_SPARSE_PROPERTIES.
type SparseProps struct {
	TileWidth, TileHeight, TileDepth uint32
	TailFirstLevel                   uint32
	TailSize                         uint64
	Flags                            uint32
	_                                [4]uint32
}

// SparseRegion is the part of an ArrayMap that names tiles of a level.
type SparseRegion struct{ Level, Layer, X, Y, Z, Width, Height, Depth uint32 }

// SparseTail is the part that names the tail of the levels.
type SparseTail struct {
	Layer        uint32
	Offset, Size uint64
}

// ArrayMap is CUarrayMapInfo.
type ArrayMap struct {
	ResourceType          int32
	Resource              uint64
	SubresourceType       int32
	Where                 [4]uint64 // a SparseRegion or a SparseTail
	Operation, MemoryType int32
	Memory, Offset        uint64
	Devices, Flags        uint32
	_                     [2]uint32
}

// Copy2D is CUDA_MEMCPY2D.
type Copy2D struct {
	FromX, FromY                     uint64
	FromType                         int32
	FromHost                         uintptr
	FromDevice, FromArray, FromPitch uint64
	ToX, ToY                         uint64
	ToType                           int32
	ToHost                           uintptr
	ToDevice, ToArray, ToPitch       uint64
	Width, Height                    uint64
}

// Edge is CUgraphEdgeData.
type Edge struct {
	FromPort, ToPort, Type uint8
	_                      [5]uint8
}
