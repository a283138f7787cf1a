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

// scene.Scratch_view of github.com/poolgen/poolgen/cmd/poolgen/internal/cheader/testdata/scene
#ifndef POOLGEN_scene_Scratch_view_2_522BBE86
#define POOLGEN_scene_Scratch_view_2_522BBE86
typedef struct scene_Scratch_view_2 {
	uint8_t A;
} scene_Scratch_view_2;
#endif
POOLGEN_STATIC_ASSERT(sizeof(scene_Scratch_view_2) == 1, "scene_Scratch_view_2: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(scene_Scratch_view_2) == 1, "scene_Scratch_view_2: alignment");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(scene_Scratch_view_2, A) == 0, "scene_Scratch_view_2.A: offset");
