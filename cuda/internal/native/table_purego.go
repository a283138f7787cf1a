//go:build !cgo && poolgen_purego && linux && (amd64 || arm64)

package native

// table holds the addresses of the driver's functions, those of functions.h under the same names; 0: the library lacks the function. It is written once,
// before any operation, and only read afterwards.
var table struct {
	cuInit             uintptr `symbol:"cuInit" need:"required"`
	cuDriverGetVersion uintptr `symbol:"cuDriverGetVersion" need:"required"`
	cuGetErrorName     uintptr `symbol:"cuGetErrorName" need:"required"`
	cuGetErrorString   uintptr `symbol:"cuGetErrorString" need:"required"`

	// devices
	cuDeviceGet                uintptr `symbol:"cuDeviceGet" need:"required"`
	cuDeviceGetCount           uintptr `symbol:"cuDeviceGetCount" need:"required"`
	cuDeviceGetName            uintptr `symbol:"cuDeviceGetName" need:"required"`
	cuDeviceGetUuid            uintptr `symbol:"cuDeviceGetUuid" need:"optional"`
	cuDeviceGetUuid2           uintptr `symbol:"cuDeviceGetUuid_v2" need:"optional"`
	cuDeviceTotalMem           uintptr `symbol:"cuDeviceTotalMem_v2" need:"required"`
	cuDeviceGetAttribute       uintptr `symbol:"cuDeviceGetAttribute" need:"required"`
	cuDeviceCanAccessPeer      uintptr `symbol:"cuDeviceCanAccessPeer" need:"optional"`
	cuDevicePrimaryCtxRetain   uintptr `symbol:"cuDevicePrimaryCtxRetain" need:"required"`
	cuDevicePrimaryCtxRelease  uintptr `symbol:"cuDevicePrimaryCtxRelease_v2" need:"required"`
	cuDevicePrimaryCtxSetFlags uintptr `symbol:"cuDevicePrimaryCtxSetFlags_v2" need:"optional"`
	cuDevicePrimaryCtxGetState uintptr `symbol:"cuDevicePrimaryCtxGetState" need:"optional"`
	cuDeviceGetDefaultMemPool  uintptr `symbol:"cuDeviceGetDefaultMemPool" need:"optional"`
	cuDeviceGetMemPool         uintptr `symbol:"cuDeviceGetMemPool" need:"optional"`
	cuDeviceSetMemPool         uintptr `symbol:"cuDeviceSetMemPool" need:"optional"`

	// contexts
	cuCtxGetCurrent        uintptr `symbol:"cuCtxGetCurrent" need:"required"`
	cuCtxSetCurrent        uintptr `symbol:"cuCtxSetCurrent" need:"required"`
	cuCtxGetDevice         uintptr `symbol:"cuCtxGetDevice" need:"required"`
	cuCtxSynchronize       uintptr `symbol:"cuCtxSynchronize" need:"required"`
	cuCtxEnablePeerAccess  uintptr `symbol:"cuCtxEnablePeerAccess" need:"optional"`
	cuCtxDisablePeerAccess uintptr `symbol:"cuCtxDisablePeerAccess" need:"optional"`

	// synchronous allocation
	cuMemGetInfo              uintptr `symbol:"cuMemGetInfo_v2" need:"required"`
	cuMemAlloc                uintptr `symbol:"cuMemAlloc_v2" need:"required"`
	cuMemFree                 uintptr `symbol:"cuMemFree_v2" need:"required"`
	cuMemAllocManaged         uintptr `symbol:"cuMemAllocManaged" need:"optional"`
	cuMemHostAlloc            uintptr `symbol:"cuMemHostAlloc" need:"required"`
	cuMemFreeHost             uintptr `symbol:"cuMemFreeHost" need:"required"`
	cuMemHostGetDevicePointer uintptr `symbol:"cuMemHostGetDevicePointer_v2" need:"optional"`
	cuMemHostRegister         uintptr `symbol:"cuMemHostRegister_v2" need:"optional"`
	cuMemHostUnregister       uintptr `symbol:"cuMemHostUnregister" need:"optional"`
	cuPointerGetAttribute     uintptr `symbol:"cuPointerGetAttribute" need:"optional"`

	// memory in the order of streams
	cuMemAllocAsync                    uintptr `symbol:"cuMemAllocAsync" need:"optional"`
	cuMemAllocFromPoolAsync            uintptr `symbol:"cuMemAllocFromPoolAsync" need:"optional"`
	cuMemFreeAsync                     uintptr `symbol:"cuMemFreeAsync" need:"optional"`
	cuMemPoolCreate                    uintptr `symbol:"cuMemPoolCreate" need:"optional"`
	cuMemPoolDestroy                   uintptr `symbol:"cuMemPoolDestroy" need:"optional"`
	cuMemPoolTrimTo                    uintptr `symbol:"cuMemPoolTrimTo" need:"optional"`
	cuMemPoolGetAttribute              uintptr `symbol:"cuMemPoolGetAttribute" need:"optional"`
	cuMemPoolSetAttribute              uintptr `symbol:"cuMemPoolSetAttribute" need:"optional"`
	cuMemPoolSetAccess                 uintptr `symbol:"cuMemPoolSetAccess" need:"optional"`
	cuMemPoolGetAccess                 uintptr `symbol:"cuMemPoolGetAccess" need:"optional"`
	cuMemPoolExportToShareableHandle   uintptr `symbol:"cuMemPoolExportToShareableHandle" need:"optional"`
	cuMemPoolImportFromShareableHandle uintptr `symbol:"cuMemPoolImportFromShareableHandle" need:"optional"`
	cuMemPoolExportPointer             uintptr `symbol:"cuMemPoolExportPointer" need:"optional"`
	cuMemPoolImportPointer             uintptr `symbol:"cuMemPoolImportPointer" need:"optional"`

	// memory behind reserved addresses
	cuMemAddressReserve            uintptr `symbol:"cuMemAddressReserve" need:"optional"`
	cuMemAddressFree               uintptr `symbol:"cuMemAddressFree" need:"optional"`
	cuMemGetAllocationGranularity  uintptr `symbol:"cuMemGetAllocationGranularity" need:"optional"`
	cuMemCreate                    uintptr `symbol:"cuMemCreate" need:"optional"`
	cuMemRelease                   uintptr `symbol:"cuMemRelease" need:"optional"`
	cuMemMap                       uintptr `symbol:"cuMemMap" need:"optional"`
	cuMemUnmap                     uintptr `symbol:"cuMemUnmap" need:"optional"`
	cuMemSetAccess                 uintptr `symbol:"cuMemSetAccess" need:"optional"`
	cuMemExportToShareableHandle   uintptr `symbol:"cuMemExportToShareableHandle" need:"optional"`
	cuMemImportFromShareableHandle uintptr `symbol:"cuMemImportFromShareableHandle" need:"optional"`

	// arrays of tiles
	cuArray3DCreate                     uintptr `symbol:"cuArray3DCreate_v2" need:"optional"`
	cuArrayDestroy                      uintptr `symbol:"cuArrayDestroy" need:"optional"`
	cuArrayGetSparseProperties          uintptr `symbol:"cuArrayGetSparseProperties" need:"optional"`
	cuMipmappedArrayCreate              uintptr `symbol:"cuMipmappedArrayCreate" need:"optional"`
	cuMipmappedArrayDestroy             uintptr `symbol:"cuMipmappedArrayDestroy" need:"optional"`
	cuMipmappedArrayGetSparseProperties uintptr `symbol:"cuMipmappedArrayGetSparseProperties" need:"optional"`
	cuMipmappedArrayGetLevel            uintptr `symbol:"cuMipmappedArrayGetLevel" need:"optional"`
	cuMemMapArrayAsync                  uintptr `symbol:"cuMemMapArrayAsync" need:"optional"`
	cuMemcpy2D                          uintptr `symbol:"cuMemcpy2D_v2" need:"optional"`
	cuMemcpy2DAsync                     uintptr `symbol:"cuMemcpy2DAsync_v2" need:"optional"`

	// streams, captures, events
	cuStreamCreateWithPriority  uintptr `symbol:"cuStreamCreateWithPriority" need:"required"`
	cuStreamDestroy             uintptr `symbol:"cuStreamDestroy_v2" need:"required"`
	cuStreamGetId               uintptr `symbol:"cuStreamGetId" need:"optional"`
	cuStreamGetCtx              uintptr `symbol:"cuStreamGetCtx" need:"optional"`
	cuStreamQuery               uintptr `symbol:"cuStreamQuery" need:"required"`
	cuStreamSynchronize         uintptr `symbol:"cuStreamSynchronize" need:"required"`
	cuStreamWaitEvent           uintptr `symbol:"cuStreamWaitEvent" need:"required"`
	cuStreamIsCapturing         uintptr `symbol:"cuStreamIsCapturing" need:"optional"`
	cuStreamBeginCapture        uintptr `symbol:"cuStreamBeginCapture_v2" need:"optional"`
	cuStreamGetCaptureInfo      uintptr `symbol:"cuStreamGetCaptureInfo_v2" need:"optional"`
	cuStreamGetCaptureInfo3     uintptr `symbol:"cuStreamGetCaptureInfo_v3" need:"optional"`
	cuStreamEndCapture          uintptr `symbol:"cuStreamEndCapture" need:"optional"`
	cuGraphNodeGetDependencies  uintptr `symbol:"cuGraphNodeGetDependencies" need:"optional"`
	cuGraphNodeGetDependencies2 uintptr `symbol:"cuGraphNodeGetDependencies_v2" need:"optional"`
	cuUserObjectCreate          uintptr `symbol:"cuUserObjectCreate" need:"optional"`
	cuUserObjectRelease         uintptr `symbol:"cuUserObjectRelease" need:"optional"`
	cuGraphRetainUserObject     uintptr `symbol:"cuGraphRetainUserObject" need:"optional"`
	cuGraphInstantiateWithFlags uintptr `symbol:"cuGraphInstantiateWithFlags" need:"optional"`
	cuGraphLaunch               uintptr `symbol:"cuGraphLaunch" need:"optional"`
	cuGraphExecDestroy          uintptr `symbol:"cuGraphExecDestroy" need:"optional"`
	cuGraphDestroy              uintptr `symbol:"cuGraphDestroy" need:"optional"`
	cuLaunchHostFunc            uintptr `symbol:"cuLaunchHostFunc" need:"optional"`
	cuEventCreate               uintptr `symbol:"cuEventCreate" need:"required"`
	cuEventDestroy              uintptr `symbol:"cuEventDestroy_v2" need:"required"`
	cuEventRecord               uintptr `symbol:"cuEventRecord" need:"required"`
	cuEventQuery                uintptr `symbol:"cuEventQuery" need:"required"`
	cuEventSynchronize          uintptr `symbol:"cuEventSynchronize" need:"required"`
	cuEventElapsedTime          uintptr `symbol:"cuEventElapsedTime" need:"optional"`

	// copies
	cuMemcpyHtoD      uintptr `symbol:"cuMemcpyHtoD_v2" need:"required"`
	cuMemcpyDtoH      uintptr `symbol:"cuMemcpyDtoH_v2" need:"required"`
	cuMemcpyDtoD      uintptr `symbol:"cuMemcpyDtoD_v2" need:"required"`
	cuMemcpyHtoDAsync uintptr `symbol:"cuMemcpyHtoDAsync_v2" need:"required"`
	cuMemcpyDtoHAsync uintptr `symbol:"cuMemcpyDtoHAsync_v2" need:"required"`
	cuMemcpyDtoDAsync uintptr `symbol:"cuMemcpyDtoDAsync_v2" need:"required"`
	cuMemcpyPeerAsync uintptr `symbol:"cuMemcpyPeerAsync" need:"optional"`
	cuMemsetD8        uintptr `symbol:"cuMemsetD8_v2" need:"required"`
	cuMemsetD8Async   uintptr `symbol:"cuMemsetD8Async" need:"required"`
	cuMemsetD32Async  uintptr `symbol:"cuMemsetD32Async" need:"optional"`

	// kernels
	cuModuleLoadDataEx                          uintptr `symbol:"cuModuleLoadDataEx" need:"optional"`
	cuModuleUnload                              uintptr `symbol:"cuModuleUnload" need:"optional"`
	cuModuleGetFunction                         uintptr `symbol:"cuModuleGetFunction" need:"optional"`
	cuModuleGetGlobal                           uintptr `symbol:"cuModuleGetGlobal_v2" need:"optional"`
	cuFuncGetAttribute                          uintptr `symbol:"cuFuncGetAttribute" need:"optional"`
	cuFuncSetAttribute                          uintptr `symbol:"cuFuncSetAttribute" need:"optional"`
	cuOccupancyMaxActiveBlocksPerMultiprocessor uintptr `symbol:"cuOccupancyMaxActiveBlocksPerMultiprocessor" need:"optional"`
	cuOccupancyMaxPotentialBlockSize            uintptr `symbol:"cuOccupancyMaxPotentialBlockSize" need:"optional"`
	cuLaunchKernel                              uintptr `symbol:"cuLaunchKernel" need:"optional"`
}
