// SPDX-License-Identifier: Apache-2.0

// The functions of the driver that poolgen calls: our name, the symbol in the library, whether it is required, and the
// parameters. Structs that are passed by address are in layout.h. Handles are opaque addresses.
//
// Required are those of every driver since CUDA 10.2 that a pool over plain device memory needs. The rest may be missing.

#ifndef POOLGEN_FUNCTIONS_H
#define POOLGEN_FUNCTIONS_H

#include "layout.h"

typedef void *handle;
typedef uint64_t address;

#define REQUIRED 1
#define OPTIONAL 0

#define POOLGEN_FUNCTIONS(F) \
	F(cuInit, "cuInit", REQUIRED, (unsigned flags)) \
	F(cuDriverGetVersion, "cuDriverGetVersion", REQUIRED, (int *version)) \
	F(cuGetErrorName, "cuGetErrorName", REQUIRED, (int code, const char **text)) \
	F(cuGetErrorString, "cuGetErrorString", REQUIRED, (int code, const char **text)) \
	/* devices */ \
	F(cuDeviceGet, "cuDeviceGet", REQUIRED, (int *dev, int ordinal)) \
	F(cuDeviceGetCount, "cuDeviceGetCount", REQUIRED, (int *n)) \
	F(cuDeviceGetName, "cuDeviceGetName", REQUIRED, (char *text, int space, int dev)) \
	F(cuDeviceGetUuid, "cuDeviceGetUuid", OPTIONAL, (uint8_t *uuid, int dev)) \
	F(cuDeviceGetUuid2, "cuDeviceGetUuid_v2", OPTIONAL, (uint8_t *uuid, int dev)) \
	F(cuDeviceTotalMem, "cuDeviceTotalMem_v2", REQUIRED, (size_t *bytes, int dev)) \
	F(cuDeviceGetAttribute, "cuDeviceGetAttribute", REQUIRED, (int *value, int attribute, int dev)) \
	F(cuDeviceCanAccessPeer, "cuDeviceCanAccessPeer", OPTIONAL, (int *can, int dev, int peer)) \
	F(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", REQUIRED, (handle *ctx, int dev)) \
	F(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", REQUIRED, (int dev)) \
	F(cuDevicePrimaryCtxSetFlags, "cuDevicePrimaryCtxSetFlags_v2", OPTIONAL, (int dev, unsigned flags)) \
	F(cuDevicePrimaryCtxGetState, "cuDevicePrimaryCtxGetState", OPTIONAL, (int dev, unsigned *flags, int *active)) \
	F(cuDeviceGetDefaultMemPool, "cuDeviceGetDefaultMemPool", OPTIONAL, (handle *pool, int dev)) \
	F(cuDeviceGetMemPool, "cuDeviceGetMemPool", OPTIONAL, (handle *pool, int dev)) \
	F(cuDeviceSetMemPool, "cuDeviceSetMemPool", OPTIONAL, (int dev, handle pool)) \
	/* contexts */ \
	F(cuCtxGetCurrent, "cuCtxGetCurrent", REQUIRED, (handle *ctx)) \
	F(cuCtxSetCurrent, "cuCtxSetCurrent", REQUIRED, (handle ctx)) \
	F(cuCtxGetDevice, "cuCtxGetDevice", REQUIRED, (int *dev)) \
	F(cuCtxSynchronize, "cuCtxSynchronize", REQUIRED, (void)) \
	F(cuCtxEnablePeerAccess, "cuCtxEnablePeerAccess", OPTIONAL, (handle peer, unsigned flags)) \
	F(cuCtxDisablePeerAccess, "cuCtxDisablePeerAccess", OPTIONAL, (handle peer)) \
	/* synchronous allocation */ \
	F(cuMemGetInfo, "cuMemGetInfo_v2", REQUIRED, (size_t *free, size_t *total)) \
	F(cuMemAlloc, "cuMemAlloc_v2", REQUIRED, (address *p, size_t bytes)) \
	F(cuMemFree, "cuMemFree_v2", REQUIRED, (address p)) \
	F(cuMemAllocManaged, "cuMemAllocManaged", OPTIONAL, (address *p, size_t bytes, unsigned flags)) \
	F(cuMemHostAlloc, "cuMemHostAlloc", REQUIRED, (void **p, size_t bytes, unsigned flags)) \
	F(cuMemFreeHost, "cuMemFreeHost", REQUIRED, (void *p)) \
	F(cuMemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2", OPTIONAL, (address *p, void *host, unsigned flags)) \
	F(cuMemHostRegister, "cuMemHostRegister_v2", OPTIONAL, (void *p, size_t bytes, unsigned flags)) \
	F(cuMemHostUnregister, "cuMemHostUnregister", OPTIONAL, (void *p)) \
	F(cuPointerGetAttribute, "cuPointerGetAttribute", OPTIONAL, (void *value, int attribute, address p)) \
	/* memory in the order of streams */ \
	F(cuMemAllocAsync, "cuMemAllocAsync", OPTIONAL, (address *p, size_t bytes, handle stream)) \
	F(cuMemAllocFromPoolAsync, "cuMemAllocFromPoolAsync", OPTIONAL, (address *p, size_t bytes, handle pool, handle stream)) \
	F(cuMemFreeAsync, "cuMemFreeAsync", OPTIONAL, (address p, handle stream)) \
	F(cuMemPoolCreate, "cuMemPoolCreate", OPTIONAL, (handle *pool, const struct pool_props *)) \
	F(cuMemPoolDestroy, "cuMemPoolDestroy", OPTIONAL, (handle pool)) \
	F(cuMemPoolTrimTo, "cuMemPoolTrimTo", OPTIONAL, (handle pool, size_t keep)) \
	F(cuMemPoolGetAttribute, "cuMemPoolGetAttribute", OPTIONAL, (handle pool, int attribute, void *value)) \
	F(cuMemPoolSetAttribute, "cuMemPoolSetAttribute", OPTIONAL, (handle pool, int attribute, void *value)) \
	F(cuMemPoolSetAccess, "cuMemPoolSetAccess", OPTIONAL, (handle pool, const struct access_desc *, size_t n)) \
	F(cuMemPoolGetAccess, "cuMemPoolGetAccess", OPTIONAL, (int *access, handle pool, struct location *)) \
	F(cuMemPoolExportToShareableHandle, "cuMemPoolExportToShareableHandle", OPTIONAL, (void *out, handle pool, int type, uint64_t flags)) \
	F(cuMemPoolImportFromShareableHandle, "cuMemPoolImportFromShareableHandle", OPTIONAL, (handle *pool, void *from, int type, uint64_t flags)) \
	F(cuMemPoolExportPointer, "cuMemPoolExportPointer", OPTIONAL, (struct pointer_token *, address p)) \
	F(cuMemPoolImportPointer, "cuMemPoolImportPointer", OPTIONAL, (address *p, handle pool, struct pointer_token *)) \
	/* memory behind reserved addresses */ \
	F(cuMemAddressReserve, "cuMemAddressReserve", OPTIONAL, (address *p, size_t bytes, size_t align, address wish, uint64_t flags)) \
	F(cuMemAddressFree, "cuMemAddressFree", OPTIONAL, (address p, size_t bytes)) \
	F(cuMemGetAllocationGranularity, "cuMemGetAllocationGranularity", OPTIONAL, (size_t *bytes, const struct allocation_props *, int which)) \
	F(cuMemCreate, "cuMemCreate", OPTIONAL, (uint64_t *memory, size_t bytes, const struct allocation_props *, uint64_t flags)) \
	F(cuMemRelease, "cuMemRelease", OPTIONAL, (uint64_t memory)) \
	F(cuMemMap, "cuMemMap", OPTIONAL, (address at, size_t bytes, size_t offset, uint64_t memory, uint64_t flags)) \
	F(cuMemUnmap, "cuMemUnmap", OPTIONAL, (address at, size_t bytes)) \
	F(cuMemSetAccess, "cuMemSetAccess", OPTIONAL, (address at, size_t bytes, const struct access_desc *, size_t n)) \
	F(cuMemExportToShareableHandle, "cuMemExportToShareableHandle", OPTIONAL, (void *out, uint64_t memory, int type, uint64_t flags)) \
	F(cuMemImportFromShareableHandle, "cuMemImportFromShareableHandle", OPTIONAL, (uint64_t *memory, void *from, int type)) \
	/* arrays of tiles */ \
	F(cuArray3DCreate, "cuArray3DCreate_v2", OPTIONAL, (handle *array, const struct array_desc *)) \
	F(cuArrayDestroy, "cuArrayDestroy", OPTIONAL, (handle array)) \
	F(cuArrayGetSparseProperties, "cuArrayGetSparseProperties", OPTIONAL, (struct sparse_props *, handle array)) \
	F(cuMipmappedArrayCreate, "cuMipmappedArrayCreate", OPTIONAL, (handle *array, const struct array_desc *, unsigned levels)) \
	F(cuMipmappedArrayDestroy, "cuMipmappedArrayDestroy", OPTIONAL, (handle array)) \
	F(cuMipmappedArrayGetSparseProperties, "cuMipmappedArrayGetSparseProperties", OPTIONAL, (struct sparse_props *, handle array)) \
	F(cuMipmappedArrayGetLevel, "cuMipmappedArrayGetLevel", OPTIONAL, (handle *array, handle of, unsigned level)) \
	F(cuMemMapArrayAsync, "cuMemMapArrayAsync", OPTIONAL, (struct array_map *, unsigned n, handle stream)) \
	F(cuMemcpy2D, "cuMemcpy2D_v2", OPTIONAL, (const struct copy_2d *)) \
	F(cuMemcpy2DAsync, "cuMemcpy2DAsync_v2", OPTIONAL, (const struct copy_2d *, handle stream)) \
	/* streams, captures, events */ \
	F(cuStreamCreateWithPriority, "cuStreamCreateWithPriority", REQUIRED, (handle *stream, unsigned flags, int priority)) \
	F(cuStreamDestroy, "cuStreamDestroy_v2", REQUIRED, (handle stream)) \
	F(cuStreamGetId, "cuStreamGetId", OPTIONAL, (handle stream, uint64_t *id)) \
	F(cuStreamGetCtx, "cuStreamGetCtx", OPTIONAL, (handle stream, handle *ctx)) \
	F(cuStreamQuery, "cuStreamQuery", REQUIRED, (handle stream)) \
	F(cuStreamSynchronize, "cuStreamSynchronize", REQUIRED, (handle stream)) \
	F(cuStreamWaitEvent, "cuStreamWaitEvent", REQUIRED, (handle stream, handle event, unsigned flags)) \
	F(cuStreamIsCapturing, "cuStreamIsCapturing", OPTIONAL, (handle stream, int *status)) \
	F(cuStreamBeginCapture, "cuStreamBeginCapture_v2", OPTIONAL, (handle stream, int mode)) \
	F(cuStreamGetCaptureInfo, "cuStreamGetCaptureInfo_v2", OPTIONAL, \
		(handle stream, int *status, uint64_t *id, handle *graph, const handle **nodes, size_t *n)) \
	F(cuStreamGetCaptureInfo3, "cuStreamGetCaptureInfo_v3", OPTIONAL, \
		(handle stream, int *status, uint64_t *id, handle *graph, const handle **nodes, const struct edge **, size_t *n)) \
	F(cuStreamEndCapture, "cuStreamEndCapture", OPTIONAL, (handle stream, handle *graph)) \
	F(cuGraphNodeGetDependencies, "cuGraphNodeGetDependencies", OPTIONAL, (handle node, handle *nodes, size_t *n)) \
	F(cuGraphNodeGetDependencies2, "cuGraphNodeGetDependencies_v2", OPTIONAL, (handle node, handle *nodes, struct edge *, size_t *n)) \
	F(cuUserObjectCreate, "cuUserObjectCreate", OPTIONAL, (handle *object, void *data, void (*end)(void *), unsigned references, unsigned flags)) \
	F(cuUserObjectRelease, "cuUserObjectRelease", OPTIONAL, (handle object, unsigned references)) \
	F(cuGraphRetainUserObject, "cuGraphRetainUserObject", OPTIONAL, (handle graph, handle object, unsigned references, unsigned flags)) \
	F(cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags", OPTIONAL, (handle *ready, handle graph, uint64_t flags)) \
	F(cuGraphLaunch, "cuGraphLaunch", OPTIONAL, (handle ready, handle stream)) \
	F(cuGraphExecDestroy, "cuGraphExecDestroy", OPTIONAL, (handle ready)) \
	F(cuGraphDestroy, "cuGraphDestroy", OPTIONAL, (handle graph)) \
	F(cuLaunchHostFunc, "cuLaunchHostFunc", OPTIONAL, (handle stream, void (*f)(void *), void *data)) \
	F(cuEventCreate, "cuEventCreate", REQUIRED, (handle *event, unsigned flags)) \
	F(cuEventDestroy, "cuEventDestroy_v2", REQUIRED, (handle event)) \
	F(cuEventRecord, "cuEventRecord", REQUIRED, (handle event, handle stream)) \
	F(cuEventQuery, "cuEventQuery", REQUIRED, (handle event)) \
	F(cuEventSynchronize, "cuEventSynchronize", REQUIRED, (handle event)) \
	F(cuEventElapsedTime, "cuEventElapsedTime", OPTIONAL, (float *ms, handle from, handle to)) \
	/* copies */ \
	F(cuMemcpyHtoD, "cuMemcpyHtoD_v2", REQUIRED, (address to, const void *from, size_t bytes)) \
	F(cuMemcpyDtoH, "cuMemcpyDtoH_v2", REQUIRED, (void *to, address from, size_t bytes)) \
	F(cuMemcpyDtoD, "cuMemcpyDtoD_v2", REQUIRED, (address to, address from, size_t bytes)) \
	F(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", REQUIRED, (address to, const void *from, size_t bytes, handle stream)) \
	F(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", REQUIRED, (void *to, address from, size_t bytes, handle stream)) \
	F(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", REQUIRED, (address to, address from, size_t bytes, handle stream)) \
	F(cuMemcpyPeerAsync, "cuMemcpyPeerAsync", OPTIONAL, (address to, handle toCtx, address from, handle fromCtx, size_t bytes, handle stream)) \
	F(cuMemsetD8, "cuMemsetD8_v2", REQUIRED, (address at, uint8_t value, size_t bytes)) \
	F(cuMemsetD8Async, "cuMemsetD8Async", REQUIRED, (address at, uint8_t value, size_t bytes, handle stream)) \
	F(cuMemsetD32Async, "cuMemsetD32Async", OPTIONAL, (address at, uint32_t value, size_t words, handle stream)) \
	/* kernels */ \
	F(cuModuleLoadDataEx, "cuModuleLoadDataEx", OPTIONAL, (handle *module, const void *image, unsigned n, int *options, void **values)) \
	F(cuModuleUnload, "cuModuleUnload", OPTIONAL, (handle module)) \
	F(cuModuleGetFunction, "cuModuleGetFunction", OPTIONAL, (handle *function, handle module, const char *name)) \
	F(cuModuleGetGlobal, "cuModuleGetGlobal_v2", OPTIONAL, (address *p, size_t *bytes, handle module, const char *name)) \
	F(cuFuncGetAttribute, "cuFuncGetAttribute", OPTIONAL, (int *value, int attribute, handle function)) \
	F(cuFuncSetAttribute, "cuFuncSetAttribute", OPTIONAL, (handle function, int attribute, int value)) \
	F(cuOccupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor", OPTIONAL, \
		(int *blocks, handle function, int block, size_t shared)) \
	F(cuOccupancyMaxPotentialBlockSize, "cuOccupancyMaxPotentialBlockSize", OPTIONAL, \
		(int *grid, int *block, handle function, size_t (*sharedOf)(int), size_t shared, int limit)) \
	F(cuLaunchKernel, "cuLaunchKernel", OPTIONAL, (handle function, unsigned gridX, unsigned gridY, unsigned gridZ, \
		unsigned blockX, unsigned blockY, unsigned blockZ, unsigned shared, handle stream, void **params, void **extra))

#endif
