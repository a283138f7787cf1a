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

// odd.Plain of github.com/poolgen/poolgen/cmd/poolgen/internal/cheader/testdata/odd
#ifndef POOLGEN_odd_Plain_AAE4DA9D
#define POOLGEN_odd_Plain_AAE4DA9D
typedef struct odd_Plain {
	float X;
	float Y;
	float Z;
} odd_Plain;
#endif
POOLGEN_STATIC_ASSERT(sizeof(odd_Plain) == 12, "odd_Plain: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(odd_Plain) == 4, "odd_Plain: alignment");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Plain, X) == 0, "odd_Plain.X: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Plain, Y) == 4, "odd_Plain.Y: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Plain, Z) == 8, "odd_Plain.Z: offset");

// scene_Scratch_view is a region of pool Scratch. Kernels are given its address, which Addr of ScratchView returns, and hand it on to those that they launch.
typedef struct scene_Scratch_view {
	uint64_t base;             // address of the region
	uint64_t size;             // of the region in bytes
	unsigned long long offset; // bytes that were taken; more than size once there was no room
} scene_Scratch_view;
POOLGEN_STATIC_ASSERT(sizeof(scene_Scratch_view) == 24, "scene_Scratch_view: size");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(scene_Scratch_view, base) == 0, "scene_Scratch_view.base: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(scene_Scratch_view, size) == 8, "scene_Scratch_view.size: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(scene_Scratch_view, offset) == 16, "scene_Scratch_view.offset: offset");

#ifdef __CUDACC__
// scene_Scratch_alloc returns room for n items, aligned to 256 bytes, or NULL where there is none. Any number of threads, of any grid of the device, may call it.
// There is no free: the host resets the view, or the pool.
static __device__ inline odd_Plain *scene_Scratch_alloc(scene_Scratch_view *view, uint64_t n)
{
	const uint64_t granule = 256;
	const uint64_t size = view->size;
	if (n == 0 || n > size / sizeof(odd_Plain))
		return NULL;
	const uint64_t bytes = (n * sizeof(odd_Plain) + granule - 1) / granule * granule;
	// Looking first keeps the offset from growing with each call that fails: it never wraps around.
	if (bytes > size || *(volatile unsigned long long *)&view->offset > size - bytes)
		return NULL;
	const uint64_t offset = atomicAdd(&view->offset, (unsigned long long)bytes);
	return offset > size - bytes ? NULL : (odd_Plain *)(view->base + offset);
}
#endif
