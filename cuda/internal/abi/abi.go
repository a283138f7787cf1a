// Package abi is the function table between package cuda and its driver: the CUDA driver itself, the simulator, or none. It has the driver's own numbers
// and structs as Go values, without C types, and without Go pointers that C would keep.
//
// Every operation that needs a context takes it as its first argument and runs in it: the implementation makes the context
// current on the calling thread, does the work, and puts back the context that was current before, all in one call, because a
// goroutine may change its thread between two calls. Results are returned by value, so that a call allocates nothing.
//
// Driver is split by subject; each method is one function of the driver API and is named after it.
package abi

import "unsafe"

// Context, Stream, Event, Pool, Memory, Array, Mipmap, Module, Function, Graph, GraphExec and GraphNode are handles of the driver. 0 means none; as a Stream
// it is the legacy default stream.
type (
	Context   uintptr
	Stream    uintptr
	Event     uintptr
	Pool      uintptr
	Memory    uint64 // physical memory of cuMemCreate
	Array     uintptr
	Mipmap    uintptr
	Module    uintptr
	Function  uintptr
	Graph     uintptr
	GraphExec uintptr // an instantiated graph
	GraphNode uintptr
	// UserObject is something of the program's that graphs own: it is gone when the last of them is.
	UserObject uintptr
)

// Ptr is an address on a device.
type Ptr uint64

// Driver is the whole table. Methods are safe for concurrent use.
type Driver interface {
	Library
	Devices
	Contexts
	Allocator
	Pools
	Virtual
	Arrays
	Streams
	Captures
	Events
	Copies
	Modules
}

// Library describes the library behind the table.
type Library interface {
	// Load finds the library and initialises the driver, unless that is done already, as all other functions do. The status says what went wrong.
	Load() Status
	// Path returns the path of the library, "" without one, or "simulator".
	Path() string
	// Has reports whether the library has a function, by its name in C without version suffix, such as "cuMemPoolCreate".
	Has(function string) bool
	DriverGetVersion() (int, Result)
	GetErrorName(Result) string
	GetErrorString(Result) string
}

// Status is the outcome of Load. Result is Success only if everything is there.
type Status struct {
	Result  Result // of cuInit, or NoLibrary, NoFunction, NoCgo
	Path    string // the library that was tried last
	Message string // the loader's message, or the name of a missing function
}

// Devices has the functions about devices, which are identified by their ordinal.
type Devices interface {
	DeviceGetCount() (int, Result)
	DeviceGetName(dev int) (string, Result)
	DeviceGetUUID(dev int) ([16]byte, Result)
	DeviceTotalMem(dev int) (uint64, Result)
	DeviceGetAttribute(dev int, attribute int32) (int32, Result)
	DeviceCanAccessPeer(dev, peer int) (bool, Result)
	DevicePrimaryCtxRetain(dev int) (Context, Result)
	DevicePrimaryCtxRelease(dev int) Result
	DevicePrimaryCtxSetFlags(dev int, flags uint32) Result
	DevicePrimaryCtxGetState(dev int) (flags uint32, active bool, r Result)
	DeviceGetDefaultMemPool(dev int) (Pool, Result)
	DeviceGetMemPool(dev int) (Pool, Result)
	DeviceSetMemPool(dev int, pool Pool) Result
}

// Contexts. CtxGetCurrent and CtxGetDevice look at the calling thread.
type Contexts interface {
	CtxGetCurrent() (Context, Result)
	CtxSetCurrent(Context) Result // for tests and for code with contexts of its own
	CtxGetDevice() (int, Result)  // InvalidContext without one
	CtxSynchronize(Context) Result
	CtxEnablePeerAccess(ctx, peer Context) Result
	CtxDisablePeerAccess(ctx, peer Context) Result
}

// Allocator has the synchronous allocation functions.
type Allocator interface {
	MemGetInfo(Context) (free, total uint64, r Result)
	MemAlloc(ctx Context, bytes uint64) (Ptr, Result)
	MemFree(Context, Ptr) Result
	MemAllocManaged(ctx Context, bytes uint64, flags uint32) (unsafe.Pointer, Result)
	MemHostAlloc(ctx Context, bytes uint64, flags uint32) (unsafe.Pointer, Result)
	MemFreeHost(Context, unsafe.Pointer) Result
	MemHostGetDevicePointer(Context, unsafe.Pointer) (Ptr, Result)
	// MemHostRegister page-locks memory of the program, which the caller keeps in place until MemHostUnregister.
	MemHostRegister(ctx Context, p unsafe.Pointer, bytes uint64, flags uint32) Result
	MemHostUnregister(Context, unsafe.Pointer) Result
	PointerGetDevice(Ptr) (int, Result)
}

// Pools is the driver's stream-ordered allocator.
type Pools interface {
	MemAllocAsync(ctx Context, bytes uint64, s Stream) (Ptr, Result)
	MemAllocFromPoolAsync(ctx Context, bytes uint64, p Pool, s Stream) (Ptr, Result)
	MemFreeAsync(ctx Context, p Ptr, s Stream) Result
	MemPoolCreate(PoolProps) (Pool, Result)
	MemPoolDestroy(Pool) Result
	MemPoolTrimTo(p Pool, keep uint64) Result
	MemPoolGetAttribute(p Pool, attribute int32) (uint64, Result) // 32-bit attributes are widened
	MemPoolSetAttribute(p Pool, attribute int32, value uint64) Result
	MemPoolSetAccess(p Pool, dev int, access int32) Result
	MemPoolGetAccess(p Pool, dev int) (int32, Result)
	MemPoolExportFD(Pool) (fd int, r Result)
	MemPoolImportFD(fd int) (Pool, Result)
	MemPoolExportPointer(Ptr) ([64]byte, Result)
	MemPoolImportPointer(Pool, [64]byte) (Ptr, Result)
}

// Virtual reserves addresses and maps physical memory to them.
type Virtual interface {
	MemAddressReserve(bytes, align uint64) (Ptr, Result)
	MemAddressFree(Ptr, uint64) Result
	MemGetAllocationGranularity(p MemoryProps, recommended bool) (uint64, Result)
	MemCreate(bytes uint64, p MemoryProps) (Memory, Result)
	MemRelease(Memory) Result
	MemMap(at Ptr, bytes, offset uint64, m Memory) Result
	MemUnmap(Ptr, uint64) Result
	MemSetAccess(at Ptr, bytes uint64, dev int, access int32) Result
	MemExportFD(Memory) (fd int, r Result)
	MemImportFD(fd int) (Memory, Result)
}

// Arrays has the functions of textures to whose tiles physical memory is bound.
type Arrays interface {
	ArrayCreateSparse(ctx Context, d ArrayDesc) (Array, Result)
	ArrayDestroy(Context, Array) Result
	ArrayGetSparseProperties(Context, Array) (SparseProps, Result)
	MipmappedArrayCreateSparse(ctx Context, d ArrayDesc, levels uint32) (Mipmap, Result)
	MipmappedArrayDestroy(Context, Mipmap) Result
	MipmappedArrayGetSparseProperties(Context, Mipmap) (SparseProps, Result)
	MipmappedArrayGetLevel(Context, Mipmap, uint32) (Array, Result)
	MemMapArrayAsync(ctx Context, m []ArrayMap, s Stream) Result
	MemcpyToArray(ctx Context, a Array, x, y, widthBytes, height uint64, src unsafe.Pointer, pitch uint64) Result
	MemcpyFromArray(ctx Context, dst unsafe.Pointer, pitch uint64, a Array, x, y, widthBytes, height uint64) Result
	MemcpyToArrayAsync(ctx Context, a Array, x, y, widthBytes, height uint64, src unsafe.Pointer, pitch uint64, s Stream) Result
	MemcpyFromArrayAsync(ctx Context, dst unsafe.Pointer, pitch uint64, a Array, x, y, widthBytes, height uint64, s Stream) Result
}

// Streams. The per-thread and legacy default streams have the handles 2 and 1.
type Streams interface {
	StreamCreate(ctx Context, flags uint32, priority int32) (Stream, Result)
	StreamDestroy(Context, Stream) Result
	StreamGetID(Context, Stream) (uint64, Result)
	StreamGetCtx(Stream) (Context, Result)
	StreamQuery(Context, Stream) Result // NotReady while there is work
	StreamSynchronize(Context, Stream) Result
	StreamWaitEvent(ctx Context, s Stream, e Event) Result
	StreamIsCapturing(Context, Stream) (bool, Result)
	// LaunchHostFunc calls f once, on a goroutine of its own, when the stream reaches the call. The stream waits until f has returned.
	LaunchHostFunc(ctx Context, s Stream, f func()) Result
}

// Captures are of the work of streams. They end as graphs.
type Captures interface {
	StreamBeginCapture(Context, Stream) Result // mode relaxed
	// StreamGetCaptureInfo describes the capture that a stream takes part in. If several nodes are what its next work will follow directly, it writes these: first
	// those whose work is done before that begins, then those of which the next kernel may begin earlier. If nodes has no room for all, it writes none.
	StreamGetCaptureInfo(ctx Context, s Stream, nodes []GraphNode) (CaptureInfo, Result)
	StreamEndCapture(Context, Stream) (Graph, Result)
	// GraphNodeGetDependencies writes the nodes whose work is done before that of a node begins, and returns how many there are at most. If nodes has no room
	// for these, it writes none, and full is false.
	GraphNodeGetDependencies(n GraphNode, nodes []GraphNode) (count int, full bool, r Result)
	GraphInstantiate(Context, Graph) (GraphExec, Result)
	GraphLaunch(ctx Context, g GraphExec, s Stream) Result
	GraphExecDestroy(Context, GraphExec) Result // launches under way are completed
	GraphDestroy(Graph) Result
	// UserObjectCreate makes an object with one reference, which GraphRetainUserObject moves to a graph, or UserObjectRelease ends.
	UserObjectCreate() (UserObject, Result)
	UserObjectRelease(UserObject) Result
	GraphRetainUserObject(Graph, UserObject) Result
	// UserObjectGone reports whether the last reference has ended: that of the graph, its copies, and its executables with their launches. After that the
	// object must not be used again.
	UserObjectGone(UserObject) (bool, Result)
}

// CaptureInfo describes the capture of a stream.
type CaptureInfo struct {
	Status  int32  // CaptureNone, CaptureActive or CaptureInvalidated
	ID      uint64 // no other capture has it
	Nodes   int    // that the next work follows
	Ordered int    // the first of them, whose work is done before the next begins

	First GraphNode // the node, if there is only one, as mostly
}

// Events.
type Events interface {
	EventCreate(ctx Context, flags uint32) (Event, Result)
	EventDestroy(Context, Event) Result
	EventRecord(ctx Context, e Event, s Stream) Result
	EventQuery(Context, Event) Result // NotReady while there is work
	EventSynchronize(Context, Event) Result
	EventElapsedTime(from, to Event) (milliseconds float32, r Result)
}

// Copies. The caller must keep the host memory of asynchronous copies in place until the stream has passed them.
type Copies interface {
	MemcpyHtoD(ctx Context, dst Ptr, src unsafe.Pointer, bytes uint64) Result
	MemcpyDtoH(ctx Context, dst unsafe.Pointer, src Ptr, bytes uint64) Result
	MemcpyDtoD(ctx Context, dst, src Ptr, bytes uint64) Result
	MemcpyHtoDAsync(ctx Context, dst Ptr, src unsafe.Pointer, bytes uint64, s Stream) Result
	MemcpyDtoHAsync(ctx Context, dst unsafe.Pointer, src Ptr, bytes uint64, s Stream) Result
	MemcpyDtoDAsync(ctx Context, dst, src Ptr, bytes uint64, s Stream) Result
	MemcpyPeerAsync(ctx Context, dst Ptr, dstCtx Context, src Ptr, srcCtx Context, bytes uint64, s Stream) Result
	MemsetD8(ctx Context, dst Ptr, value byte, bytes uint64) Result
	MemsetD8Async(ctx Context, dst Ptr, value byte, bytes uint64, s Stream) Result
	MemsetD32Async(ctx Context, dst Ptr, value uint32, words uint64, s Stream) Result
}

// Modules are compiled kernels.
type Modules interface {
	ModuleLoadData(ctx Context, image []byte) (Module, string, Result) // the text is the compiler's log, for an error
	ModuleUnload(Context, Module) Result
	ModuleGetFunction(ctx Context, m Module, name string) (Function, Result)
	ModuleGetGlobal(ctx Context, m Module, name string) (p Ptr, bytes uint64, r Result)
	FuncGetAttribute(ctx Context, f Function, attribute int32) (int32, Result)
	FuncSetAttribute(ctx Context, f Function, attribute, value int32) Result
	OccupancyMaxActiveBlocksPerMultiprocessor(ctx Context, f Function, block int32, shared uint64) (int32, Result)
	OccupancyMaxPotentialBlockSize(ctx Context, f Function, shared uint64, limit int32) (minGrid, block int32, r Result)
	// LaunchKernel passes params by address, each a value of the size that the kernel declares.
	LaunchKernel(ctx Context, f Function, grid, block [3]uint32, shared uint32, s Stream, params [][]byte) Result
}
