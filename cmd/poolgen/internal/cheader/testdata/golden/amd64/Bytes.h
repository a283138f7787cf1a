// head

#pragma once

#ifndef __CUDACC_RTC__
#include <stddef.h>
#include <stdint.h>
#endif

#ifndef POOLGEN_STATIC_ASSERT
#ifdef __cplusplus
#define POOLGEN_STATIC_ASSERT static_assert
#define POOLGEN_ALIGNOF alignof
#define POOLGEN_ALIGNAS alignas
#else
#define POOLGEN_STATIC_ASSERT _Static_assert
#define POOLGEN_ALIGNOF _Alignof
#define POOLGEN_ALIGNAS _Alignas
#endif
#ifndef __CUDACC_RTC__
#define POOLGEN_OFFSETOF offsetof
#else
#define POOLGEN_OFFSETOF(type, member) ((size_t)__INTADDR__(&((type *)0)->member))
#ifndef UINT64_MAX // which a stdint.h of the program's would have defined
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef unsigned long long uintptr_t;
#endif
#endif
#endif

// scene_Bytes_view is a region of pool Bytes. Kernels are given its address, which Addr of BytesView returns, and hand it on to those that they launch.
typedef struct scene_Bytes_view {
	uint64_t base;             // address of the region
	uint64_t size;             // of the region in bytes
	unsigned long long offset; // bytes that were taken; more than size once there was no room
} scene_Bytes_view;
POOLGEN_STATIC_ASSERT(sizeof(scene_Bytes_view) == 24, "scene_Bytes_view: size");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(scene_Bytes_view, base) == 0, "scene_Bytes_view.base: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(scene_Bytes_view, size) == 8, "scene_Bytes_view.size: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(scene_Bytes_view, offset) == 16, "scene_Bytes_view.offset: offset");

#ifdef __CUDACC__
// scene_Bytes_alloc returns room for n bytes, aligned to 16 bytes, or NULL where there is none. Any number of threads, of any grid of the device, may call it.
// There is no free: the host resets the view, or the pool.
static __device__ inline uint8_t *scene_Bytes_alloc(scene_Bytes_view *view, uint64_t n)
{
	const uint64_t granule = 16;
	const uint64_t size = view->size;
	if (n == 0 || n > size / sizeof(uint8_t))
		return NULL;
	const uint64_t bytes = (n * sizeof(uint8_t) + granule - 1) / granule * granule;
	// Looking first keeps the offset from growing with each call that fails: it never wraps around.
	if (bytes > size || *(volatile unsigned long long *)&view->offset > size - bytes)
		return NULL;
	const uint64_t offset = atomicAdd(&view->offset, (unsigned long long)bytes);
	return offset > size - bytes ? NULL : (uint8_t *)(view->base + offset);
}
#endif
