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

// In Go, this layout depends on the machine. It is that of one of 64 bits.
POOLGEN_STATIC_ASSERT(sizeof(void *) == 8, "Boxed: generated for 64 bits");

// odd.Box[int] of github.com/poolgen/poolgen/cmd/poolgen/internal/cheader/testdata/odd
#ifndef POOLGEN_odd_Box_int_09411389
#define POOLGEN_odd_Box_int_09411389
typedef struct odd_Box_int {
	POOLGEN_ALIGNAS(8) uint8_t A;
	uint8_t _pad0[7];
} odd_Box_int;
#endif
POOLGEN_STATIC_ASSERT(sizeof(odd_Box_int) == 8, "odd_Box_int: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(odd_Box_int) == 8, "odd_Box_int: alignment");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Box_int, A) == 0, "odd_Box_int.A: offset");

// odd.Boxed, the item of pool Boxed
typedef odd_Box_int scene_BoxedItem[2];
POOLGEN_STATIC_ASSERT(sizeof(scene_BoxedItem) == 16, "scene_BoxedItem: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(scene_BoxedItem) == 8, "scene_BoxedItem: alignment");
