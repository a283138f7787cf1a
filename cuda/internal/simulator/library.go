package simulator

import (
	"slices"
	"strings"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// Load initialises the simulator, as the first call of any function does. It fails after Fail("cuInit", ...) or
// RemoveFunction("cuInit"), and is tried again then.
func (d *Driver) Load() abi.Status {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.load()
}

func (d *Driver) load() abi.Status {
	status := abi.Status{Path: "simulator"}
	if d.loaded {
		return status
	}
	status.Result = d.count("cuInit")
	switch {
	case status.Result == abi.NoFunction:
		status.Message = "cuInit"
	case status.Result == abi.Success && len(d.devices) == 0:
		status.Result = abi.NoDevice
	}
	d.loaded = status.Result == abi.Success
	return status
}

// Path returns "simulator".
func (d *Driver) Path() string { return "simulator" }

// Has reports whether the simulator has a function that was not removed.
func (d *Driver) Has(function string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.missing[function] && slices.Contains(functions, function)
}

// DriverGetVersion returns the configured version; it works before Load.
func (d *Driver) DriverGetVersion() (int, abi.Result) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if r := d.count("cuDriverGetVersion"); r != abi.Success {
		return 0, r
	}
	return d.cfg.Version, abi.Success
}

// functions are the functions of the driver behind the table.
var functions = strings.Fields(`
	cuInit cuDriverGetVersion cuGetErrorName cuGetErrorString
	cuDeviceGet cuDeviceGetCount cuDeviceGetName cuDeviceGetUuid cuDeviceTotalMem cuDeviceGetAttribute cuDeviceCanAccessPeer
	cuDevicePrimaryCtxRetain cuDevicePrimaryCtxRelease cuDevicePrimaryCtxSetFlags cuDevicePrimaryCtxGetState
	cuDeviceGetDefaultMemPool cuDeviceGetMemPool cuDeviceSetMemPool
	cuCtxGetCurrent cuCtxSetCurrent cuCtxGetDevice cuCtxSynchronize cuCtxEnablePeerAccess cuCtxDisablePeerAccess
	cuMemGetInfo cuMemAlloc cuMemFree cuMemAllocManaged cuMemHostAlloc cuMemFreeHost cuMemHostGetDevicePointer
	cuMemHostRegister cuMemHostUnregister cuPointerGetAttribute
	cuMemAllocAsync cuMemAllocFromPoolAsync cuMemFreeAsync cuMemPoolCreate cuMemPoolDestroy cuMemPoolTrimTo
	cuMemPoolGetAttribute cuMemPoolSetAttribute cuMemPoolSetAccess cuMemPoolGetAccess
	cuMemPoolExportToShareableHandle cuMemPoolImportFromShareableHandle cuMemPoolExportPointer cuMemPoolImportPointer
	cuMemAddressReserve cuMemAddressFree cuMemGetAllocationGranularity cuMemCreate cuMemRelease cuMemMap cuMemUnmap cuMemSetAccess
	cuMemExportToShareableHandle cuMemImportFromShareableHandle
	cuArray3DCreate cuArrayDestroy cuArrayGetSparseProperties cuMipmappedArrayCreate cuMipmappedArrayDestroy
	cuMipmappedArrayGetSparseProperties cuMipmappedArrayGetLevel cuMemMapArrayAsync cuMemcpy2D cuMemcpy2DAsync
	cuStreamCreateWithPriority cuStreamDestroy cuStreamGetId cuStreamGetCtx cuStreamQuery cuStreamSynchronize cuStreamWaitEvent
	cuStreamIsCapturing cuStreamBeginCapture cuStreamGetCaptureInfo cuStreamEndCapture cuGraphNodeGetDependencies
	cuGraphInstantiateWithFlags cuGraphLaunch cuGraphExecDestroy cuGraphDestroy
	cuUserObjectCreate cuUserObjectRelease cuGraphRetainUserObject cuLaunchHostFunc
	cuEventCreate cuEventDestroy cuEventRecord cuEventQuery cuEventSynchronize cuEventElapsedTime
	cuMemcpyHtoD cuMemcpyDtoH cuMemcpyDtoD cuMemcpyHtoDAsync cuMemcpyDtoHAsync cuMemcpyDtoDAsync cuMemcpyPeerAsync
	cuMemsetD8 cuMemsetD8Async cuMemsetD32Async cuModuleLoadDataEx cuModuleUnload cuModuleGetFunction cuModuleGetGlobal
	cuFuncGetAttribute cuFuncSetAttribute cuOccupancyMaxActiveBlocksPerMultiprocessor cuOccupancyMaxPotentialBlockSize cuLaunchKernel`)
