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

// the item
#ifndef POOLGEN_scene_UnnamedRowsItem_element_185183A9
#define POOLGEN_scene_UnnamedRowsItem_element_185183A9
typedef struct scene_UnnamedRowsItem_element {
	uint8_t A;
	uint8_t _pad0[1];
	uint16_t B;
} scene_UnnamedRowsItem_element;
#endif
POOLGEN_STATIC_ASSERT(sizeof(scene_UnnamedRowsItem_element) == 4, "scene_UnnamedRowsItem_element: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(scene_UnnamedRowsItem_element) == 2, "scene_UnnamedRowsItem_element: alignment");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(scene_UnnamedRowsItem_element, A) == 0, "scene_UnnamedRowsItem_element.A: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(scene_UnnamedRowsItem_element, B) == 2, "scene_UnnamedRowsItem_element.B: offset");

// [2]odd.Unnamed, the item of pool UnnamedRows
typedef scene_UnnamedRowsItem_element scene_UnnamedRowsItem[2];
POOLGEN_STATIC_ASSERT(sizeof(scene_UnnamedRowsItem) == 8, "scene_UnnamedRowsItem: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(scene_UnnamedRowsItem) == 2, "scene_UnnamedRowsItem: alignment");
