package abi

// Result is the result of a driver function (CUresult). Negative values are poolgen's own: there is no driver.
type Result int32

// Results that code depends on. GetErrorName names all results.
const (
	Success                  Result = 0
	InvalidValue             Result = 1
	OutOfMemory              Result = 2
	NotInitialized           Result = 3
	Deinitialized            Result = 4
	StubLibrary              Result = 34
	DeviceUnavailable        Result = 46
	NoDevice                 Result = 100
	InvalidDevice            Result = 101
	InvalidImage             Result = 200
	InvalidContext           Result = 201
	NoBinaryForGPU           Result = 209
	PeerAccessUnsupported    Result = 217
	UnsupportedPTXVersion    Result = 222
	OperatingSystem          Result = 304
	InvalidHandle            Result = 400
	IllegalState             Result = 401
	NotFound                 Result = 500
	NotReady                 Result = 600
	IllegalAddress           Result = 700
	PeerAccessAlreadyEnabled Result = 704
	PeerAccessNotEnabled     Result = 705
	ContextIsDestroyed       Result = 709
	HostAlreadyRegistered    Result = 712
	HostNotRegistered        Result = 713
	NotPermitted             Result = 800
	NotSupported             Result = 801
	SystemNotReady           Result = 802
	SystemDriverMismatch     Result = 803
	CompatNotSupported       Result = 804
	StreamCaptureUnsupported Result = 900
	StreamCaptureInvalidated Result = 901
	StreamCaptureUnjoined    Result = 904
	StreamCaptureImplicit    Result = 906
	CapturedEvent            Result = 907
	Unknown                  Result = 999

	NoLibrary  Result = -1 // the library was not found, or could not be loaded
	NoFunction Result = -2 // the library lacks the function
	NoCgo      Result = -3 // this program was built without cgo
)

// Flags and enumerations, with their values in the driver's header.
const (
	StreamDefault     = 0
	StreamNonBlocking = 1

	EventBlockingSync  = 1
	EventDisableTiming = 2

	HostPortable      = 1
	HostDeviceMap     = 2
	HostWriteCombined = 4

	ContextSchedAuto         = 0
	ContextSchedSpin         = 1
	ContextSchedYield        = 2
	ContextSchedBlockingSync = 4
	ContextSchedMask         = 7

	ManagedGlobal = 1
	ManagedHost   = 2

	LocationDevice   = 1
	LocationHost     = 2
	LocationHostNUMA = 3

	AllocationPinned  = 1
	AllocationManaged = 2

	HandleNone   = 0
	HandleFD     = 1
	HandleWin32  = 2
	HandleFabric = 8

	AccessNone      = 0
	AccessRead      = 1
	AccessReadWrite = 3

	LegacyStream    Stream = 1
	PerThreadStream Stream = 2
)

// Attributes of a memory pool.
const (
	PoolReuseFollowEventDependencies   = 1 // int
	PoolReuseAllowOpportunistic        = 2 // int
	PoolReuseAllowInternalDependencies = 3 // int
	PoolReleaseThreshold               = 4 // uint64
	PoolReservedMemCurrent             = 5 // uint64, read-only
	PoolReservedMemHigh                = 6 // uint64, may be set to 0
	PoolUsedMemCurrent                 = 7 // uint64, read-only
	PoolUsedMemHigh                    = 8 // uint64, may be set to 0
)

// Attributes of a kernel.
const (
	FuncMaxThreadsPerBlock        = 0
	FuncSharedSizeBytes           = 1
	FuncConstSizeBytes            = 2
	FuncLocalSizeBytes            = 3
	FuncNumRegs                   = 4
	FuncPTXVersion                = 5
	FuncBinaryVersion             = 6
	FuncMaxDynamicSharedSizeBytes = 8 // may be set
	FuncPreferredSharedCarveout   = 9 // may be set
)

// Attributes of a device that decide which features it supports.
const (
	AttributeMaxThreadsPerBlock      = 1
	AttributeMaxSharedPerBlock       = 8 // bytes
	AttributeMultiprocessorCount     = 16
	AttributeIntegrated              = 18
	AttributeCanMapHostMemory        = 19
	AttributeMaxThreadsPerSM         = 39
	AttributeUnifiedAddressing       = 41
	AttributeComputeCapabilityMajor  = 75
	AttributeComputeCapabilityMinor  = 76
	AttributeMaxSharedPerSM          = 81 // bytes
	AttributeManagedMemory           = 83
	AttributeConcurrentManagedAccess = 89
	AttributeMaxSharedPerBlockOptin  = 97 // bytes
	AttributeVirtualMemoryManagement = 102
	AttributeHandleTypePosixFD       = 103
	AttributeMaxBlocksPerSM          = 106
	AttributeVirtualMemoryRDMA       = 110 // physical memory can be made so that network adapters reach it
	AttributeSparseArray             = 112
	AttributeMemoryPools             = 115
	AttributePoolHandleTypes         = 119
	AttributeDeferredMappingArray    = 121
	AttributeHandleTypeFabric        = 128
	AttributeHostNUMAID              = 134
	AttributeHostMemoryPools         = 144 // CUDA 13
	AttributeHostNUMAMemoryPools     = 142 // location host NUMA, CUDA 12.9 and later
)

// Formats of array channels.
const (
	FormatUint8   = 1
	FormatUint16  = 2
	FormatUint32  = 3
	FormatInt8    = 8
	FormatInt16   = 9
	FormatInt32   = 10
	FormatHalf    = 16
	FormatFloat32 = 32
)

// Values in the structs and parameters of functions that package abi does not pass on as they are: the backends of package native write and read them.
const (
	ArrayLayered        = 1    // CUDA_ARRAY3D_LAYERED
	ArraySparse         = 0x40 // CUDA_ARRAY3D_SPARSE
	SparseSingleMipTail = 1    // CU_ARRAY_SPARSE_PROPERTIES_SINGLE_MIPTAIL

	ResourceArray  = 0 // of a binding of tiles
	ResourceMipmap = 1
	SparseLevel    = 0
	SparseTail     = 1
	OperationMap   = 1
	OperationUnmap = 2

	UsageTilePool        = 1 // CU_MEM_CREATE_USAGE_TILE_POOL
	CaptureRelaxed       = 2 // CU_STREAM_CAPTURE_MODE_RELAXED
	CaptureNone          = 0 // CU_STREAM_CAPTURE_STATUS_NONE
	CaptureActive        = 1
	CaptureInvalidated   = 2
	UserObjectNoSync     = 1 // CU_USER_OBJECT_NO_DESTRUCTOR_SYNC
	UserObjectMove       = 1 // CU_GRAPH_USER_OBJECT_MOVE
	EdgeDefault          = 0 // CU_GRAPH_DEPENDENCY_TYPE_DEFAULT
	PointerDeviceOrdinal = 9 // CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
	MemoryTypeHost       = 1
	MemoryTypeArray      = 3
	JITErrorLog          = 5
	JITErrorLogBytes     = 6
)
