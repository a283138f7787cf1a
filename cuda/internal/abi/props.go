package abi

// PoolProps describes a memory pool to be made (CUmemPoolProps).
type PoolProps struct {
	Type     int32 // AllocationPinned, AllocationManaged
	Handles  int32 // HandleNone, HandleFD, ...
	Location int32 // LocationDevice, LocationHost, LocationHostNUMA
	ID       int32 // device ordinal or NUMA node
	MaxSize  uint64
}

// MemoryProps describes physical memory to be made (CUmemAllocationProp).
type MemoryProps struct {
	Handles  int32
	Location int32
	ID       int32
	TilePool bool // for sparse arrays
	RDMA     bool // other devices on the bus, such as network adapters, can read and write it
}

// ArrayDesc describes a sparse array (CUDA_ARRAY3D_DESCRIPTOR).
type ArrayDesc struct {
	Width, Height, Depth uint64 // texels; Height and Depth may be 0
	Format               int32  // FormatUint8, ...
	Channels             uint32
	Layered              bool
}

// SparseProps describes a sparse array, as the driver reports it.
type SparseProps struct {
	TileWidth, TileHeight, TileDepth uint32 // texels
	MipTailFirstLevel                uint32
	MipTailSize                      uint64
	SingleMipTail                    bool
}

// ArrayMap binds tiles of an array, or the tail of its levels, to physical memory, or removes the binding.
type ArrayMap struct {
	Array         Array // or
	Mipmap        Mipmap
	Level, Layer  uint32
	X, Y, Z       uint32 // texels
	Width         uint32 // texels
	Height, Depth uint32
	Tail          bool // the mip tail: TailOffset and TailSize instead of the region
	TailOffset    uint64
	TailSize      uint64
	Unmap         bool
	Memory        Memory
	Offset        uint64 // bytes into Memory
	DeviceMask    uint32
}
