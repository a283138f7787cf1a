package cuda

import "github.com/poolgen/poolgen/cuda/internal/abi"

// Attribute is a property of a device, by the driver's number (CUdevice_attribute). Any attribute number of the driver is allowed.
type Attribute int32

// Attributes that decide which allocators work, and the most common of the others. Those called ...Supported, and Integrated,
// UnifiedAddressing and ConcurrentManagedAccess, are 1 or 0.
const (
	MaxThreadsPerBlock        = Attribute(abi.AttributeMaxThreadsPerBlock)
	MaxSharedPerBlock         = Attribute(abi.AttributeMaxSharedPerBlock)      // bytes, unless a kernel sets KernelMaxDynamicBytes
	MaxSharedPerBlockOptin    = Attribute(abi.AttributeMaxSharedPerBlockOptin) // bytes that KernelMaxDynamicBytes allows
	Multiprocessors           = Attribute(abi.AttributeMultiprocessorCount)
	Integrated                = Attribute(abi.AttributeIntegrated) // the device shares the host's memory
	MapHostMemorySupported    = Attribute(abi.AttributeCanMapHostMemory)
	UnifiedAddressing         = Attribute(abi.AttributeUnifiedAddressing) // host and devices share one range of addresses
	ComputeCapabilityMajor    = Attribute(abi.AttributeComputeCapabilityMajor)
	ComputeCapabilityMinor    = Attribute(abi.AttributeComputeCapabilityMinor)
	ManagedMemorySupported    = Attribute(abi.AttributeManagedMemory)
	ConcurrentManagedAccess   = Attribute(abi.AttributeConcurrentManagedAccess) // the host may use managed memory while kernels run
	VirtualMemorySupported    = Attribute(abi.AttributeVirtualMemoryManagement)
	FileDescriptorsSupported  = Attribute(abi.AttributeHandleTypePosixFD) // for sharing physical memory
	SparseArraysSupported     = Attribute(abi.AttributeSparseArray)
	MemPoolsSupported         = Attribute(abi.AttributeMemoryPools)
	MemPoolHandleTypes        = Attribute(abi.AttributePoolHandleTypes) // a set of HandleType
	DeferredMappingSupported  = Attribute(abi.AttributeDeferredMappingArray)
	FabricHandlesSupported    = Attribute(abi.AttributeHandleTypeFabric)
	HostNUMANode              = Attribute(abi.AttributeHostNUMAID) // the NUMA node nearest to the device
	HostMemPoolsSupported     = Attribute(abi.AttributeHostMemoryPools)
	HostNUMAMemPoolsSupported = Attribute(abi.AttributeHostNUMAMemoryPools)
)
