package abi

import "unsafe"

// Absent returns a table for a program without a driver: every method returns the result of s.
func Absent(s Status) Driver { return absent{s.Result, s} }

type absent struct {
	r   Result
	why Status
}

func (a absent) Load() Status                    { return a.why }
func (absent) Path() string                      { return "" }
func (absent) Has(string) bool                   { return false }
func (a absent) DriverGetVersion() (int, Result) { return 0, a.r }
func (absent) GetErrorName(Result) string        { return "" }
func (absent) GetErrorString(Result) string      { return "" }

func (a absent) DeviceGetCount() (int, Result)                 { return 0, a.r }
func (a absent) DeviceGetName(int) (string, Result)            { return "", a.r }
func (a absent) DeviceGetUUID(int) ([16]byte, Result)          { return [16]byte{}, a.r }
func (a absent) DeviceTotalMem(int) (uint64, Result)           { return 0, a.r }
func (a absent) DeviceGetAttribute(int, int32) (int32, Result) { return 0, a.r }
func (a absent) DeviceCanAccessPeer(int, int) (bool, Result)   { return false, a.r }
func (a absent) DevicePrimaryCtxRetain(int) (Context, Result)  { return 0, a.r }
func (a absent) DevicePrimaryCtxRelease(int) Result            { return a.r }
func (a absent) DevicePrimaryCtxSetFlags(int, uint32) Result   { return a.r }
func (a absent) DevicePrimaryCtxGetState(int) (uint32, bool, Result) {
	return 0, false, a.r
}
func (a absent) DeviceGetDefaultMemPool(int) (Pool, Result) { return 0, a.r }
func (a absent) DeviceGetMemPool(int) (Pool, Result)        { return 0, a.r }
func (a absent) DeviceSetMemPool(int, Pool) Result          { return a.r }

func (a absent) CtxGetCurrent() (Context, Result)             { return 0, a.r }
func (a absent) CtxSetCurrent(Context) Result                 { return a.r }
func (a absent) CtxGetDevice() (int, Result)                  { return 0, a.r }
func (a absent) CtxSynchronize(Context) Result                { return a.r }
func (a absent) CtxEnablePeerAccess(Context, Context) Result  { return a.r }
func (a absent) CtxDisablePeerAccess(Context, Context) Result { return a.r }

func (a absent) MemGetInfo(Context) (uint64, uint64, Result) { return 0, 0, a.r }
func (a absent) MemAlloc(Context, uint64) (Ptr, Result)      { return 0, a.r }
func (a absent) MemFree(Context, Ptr) Result                 { return a.r }
func (a absent) MemAllocManaged(Context, uint64, uint32) (unsafe.Pointer, Result) {
	return nil, a.r
}
func (a absent) MemHostAlloc(Context, uint64, uint32) (unsafe.Pointer, Result) {
	return nil, a.r
}
func (a absent) MemFreeHost(Context, unsafe.Pointer) Result { return a.r }
func (a absent) MemHostGetDevicePointer(Context, unsafe.Pointer) (Ptr, Result) {
	return 0, a.r
}
func (a absent) MemHostRegister(Context, unsafe.Pointer, uint64, uint32) Result {
	return a.r
}
func (a absent) MemHostUnregister(Context, unsafe.Pointer) Result { return a.r }
func (a absent) PointerGetDevice(Ptr) (int, Result)               { return 0, a.r }

func (a absent) MemAllocAsync(Context, uint64, Stream) (Ptr, Result) { return 0, a.r }
func (a absent) MemAllocFromPoolAsync(Context, uint64, Pool, Stream) (Ptr, Result) {
	return 0, a.r
}
func (a absent) MemFreeAsync(Context, Ptr, Stream) Result          { return a.r }
func (a absent) MemPoolCreate(PoolProps) (Pool, Result)            { return 0, a.r }
func (a absent) MemPoolDestroy(Pool) Result                        { return a.r }
func (a absent) MemPoolTrimTo(Pool, uint64) Result                 { return a.r }
func (a absent) MemPoolGetAttribute(Pool, int32) (uint64, Result)  { return 0, a.r }
func (a absent) MemPoolSetAttribute(Pool, int32, uint64) Result    { return a.r }
func (a absent) MemPoolSetAccess(Pool, int, int32) Result          { return a.r }
func (a absent) MemPoolGetAccess(Pool, int) (int32, Result)        { return 0, a.r }
func (a absent) MemPoolExportFD(Pool) (int, Result)                { return -1, a.r }
func (a absent) MemPoolImportFD(int) (Pool, Result)                { return 0, a.r }
func (a absent) MemPoolExportPointer(Ptr) ([64]byte, Result)       { return [64]byte{}, a.r }
func (a absent) MemPoolImportPointer(Pool, [64]byte) (Ptr, Result) { return 0, a.r }

func (a absent) MemAddressReserve(uint64, uint64) (Ptr, Result) { return 0, a.r }
func (a absent) MemAddressFree(Ptr, uint64) Result              { return a.r }
func (a absent) MemGetAllocationGranularity(MemoryProps, bool) (uint64, Result) {
	return 0, a.r
}
func (a absent) MemCreate(uint64, MemoryProps) (Memory, Result) { return 0, a.r }
func (a absent) MemRelease(Memory) Result                       { return a.r }
func (a absent) MemMap(Ptr, uint64, uint64, Memory) Result      { return a.r }
func (a absent) MemUnmap(Ptr, uint64) Result                    { return a.r }
func (a absent) MemSetAccess(Ptr, uint64, int, int32) Result    { return a.r }
func (a absent) MemExportFD(Memory) (int, Result)               { return -1, a.r }
func (a absent) MemImportFD(int) (Memory, Result)               { return 0, a.r }

func (a absent) ArrayCreateSparse(Context, ArrayDesc) (Array, Result) { return 0, a.r }
func (a absent) ArrayDestroy(Context, Array) Result                   { return a.r }
func (a absent) ArrayGetSparseProperties(Context, Array) (SparseProps, Result) {
	return SparseProps{}, a.r
}
func (a absent) MipmappedArrayCreateSparse(Context, ArrayDesc, uint32) (Mipmap, Result) {
	return 0, a.r
}
func (a absent) MipmappedArrayDestroy(Context, Mipmap) Result { return a.r }
func (a absent) MipmappedArrayGetSparseProperties(Context, Mipmap) (SparseProps, Result) {
	return SparseProps{}, a.r
}
func (a absent) MipmappedArrayGetLevel(Context, Mipmap, uint32) (Array, Result) {
	return 0, a.r
}
func (a absent) MemMapArrayAsync(Context, []ArrayMap, Stream) Result { return a.r }
func (a absent) MemcpyToArray(Context, Array, uint64, uint64, uint64, uint64, unsafe.Pointer, uint64) Result {
	return a.r
}
func (a absent) MemcpyFromArray(Context, unsafe.Pointer, uint64, Array, uint64, uint64, uint64, uint64) Result {
	return a.r
}
func (a absent) MemcpyToArrayAsync(Context, Array, uint64, uint64, uint64, uint64, unsafe.Pointer, uint64, Stream) Result {
	return a.r
}
func (a absent) MemcpyFromArrayAsync(Context, unsafe.Pointer, uint64, Array, uint64, uint64, uint64, uint64, Stream) Result {
	return a.r
}

func (a absent) StreamCreate(Context, uint32, int32) (Stream, Result) { return 0, a.r }
func (a absent) StreamDestroy(Context, Stream) Result                 { return a.r }
func (a absent) StreamGetID(Context, Stream) (uint64, Result)         { return 0, a.r }
func (a absent) StreamGetCtx(Stream) (Context, Result)                { return 0, a.r }
func (a absent) StreamQuery(Context, Stream) Result                   { return a.r }
func (a absent) StreamSynchronize(Context, Stream) Result             { return a.r }
func (a absent) StreamWaitEvent(Context, Stream, Event) Result        { return a.r }
func (a absent) StreamIsCapturing(Context, Stream) (bool, Result)     { return false, a.r }
func (a absent) LaunchHostFunc(Context, Stream, func()) Result        { return a.r }

func (a absent) StreamBeginCapture(Context, Stream) Result { return a.r }
func (a absent) StreamGetCaptureInfo(Context, Stream, []GraphNode) (CaptureInfo, Result) {
	return CaptureInfo{}, a.r
}
func (a absent) StreamEndCapture(Context, Stream) (Graph, Result) { return 0, a.r }
func (a absent) GraphNodeGetDependencies(GraphNode, []GraphNode) (int, bool, Result) {
	return 0, false, a.r
}
func (a absent) GraphInstantiate(Context, Graph) (GraphExec, Result) { return 0, a.r }
func (a absent) GraphLaunch(Context, GraphExec, Stream) Result       { return a.r }
func (a absent) GraphExecDestroy(Context, GraphExec) Result          { return a.r }
func (a absent) GraphDestroy(Graph) Result                           { return a.r }
func (a absent) UserObjectCreate() (UserObject, Result)              { return 0, a.r }
func (a absent) UserObjectRelease(UserObject) Result                 { return a.r }
func (a absent) GraphRetainUserObject(Graph, UserObject) Result      { return a.r }
func (a absent) UserObjectGone(UserObject) (bool, Result)            { return false, a.r }

func (a absent) EventCreate(Context, uint32) (Event, Result)     { return 0, a.r }
func (a absent) EventDestroy(Context, Event) Result              { return a.r }
func (a absent) EventRecord(Context, Event, Stream) Result       { return a.r }
func (a absent) EventQuery(Context, Event) Result                { return a.r }
func (a absent) EventSynchronize(Context, Event) Result          { return a.r }
func (a absent) EventElapsedTime(Event, Event) (float32, Result) { return 0, a.r }

func (a absent) MemcpyHtoD(Context, Ptr, unsafe.Pointer, uint64) Result { return a.r }
func (a absent) MemcpyDtoH(Context, unsafe.Pointer, Ptr, uint64) Result { return a.r }
func (a absent) MemcpyDtoD(Context, Ptr, Ptr, uint64) Result            { return a.r }
func (a absent) MemcpyHtoDAsync(Context, Ptr, unsafe.Pointer, uint64, Stream) Result {
	return a.r
}
func (a absent) MemcpyDtoHAsync(Context, unsafe.Pointer, Ptr, uint64, Stream) Result {
	return a.r
}
func (a absent) MemcpyDtoDAsync(Context, Ptr, Ptr, uint64, Stream) Result { return a.r }
func (a absent) MemcpyPeerAsync(Context, Ptr, Context, Ptr, Context, uint64, Stream) Result {
	return a.r
}
func (a absent) MemsetD8(Context, Ptr, byte, uint64) Result                 { return a.r }
func (a absent) MemsetD8Async(Context, Ptr, byte, uint64, Stream) Result    { return a.r }
func (a absent) MemsetD32Async(Context, Ptr, uint32, uint64, Stream) Result { return a.r }

func (a absent) ModuleLoadData(Context, []byte) (Module, string, Result)      { return 0, "", a.r }
func (a absent) ModuleUnload(Context, Module) Result                          { return a.r }
func (a absent) ModuleGetFunction(Context, Module, string) (Function, Result) { return 0, a.r }
func (a absent) ModuleGetGlobal(Context, Module, string) (Ptr, uint64, Result) {
	return 0, 0, a.r
}
func (a absent) FuncGetAttribute(Context, Function, int32) (int32, Result) { return 0, a.r }
func (a absent) FuncSetAttribute(Context, Function, int32, int32) Result   { return a.r }
func (a absent) OccupancyMaxActiveBlocksPerMultiprocessor(Context, Function, int32, uint64) (int32, Result) {
	return 0, a.r
}
func (a absent) OccupancyMaxPotentialBlockSize(Context, Function, uint64, int32) (int32, int32, Result) {
	return 0, 0, a.r
}
func (a absent) LaunchKernel(Context, Function, [3]uint32, [3]uint32, uint32, Stream, [][]byte) Result {
	return a.r
}
