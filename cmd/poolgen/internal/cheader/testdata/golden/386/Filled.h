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

// odd.Pair[int8, odd.Plain] of github.com/poolgen/poolgen/cmd/poolgen/internal/cheader/testdata/odd
#ifndef POOLGEN_odd_Pair_int8_odd_Plain_33C8BBE2
#define POOLGEN_odd_Pair_int8_odd_Plain_33C8BBE2
typedef struct odd_Pair_int8_odd_Plain {
	int8_t First;
	uint8_t _pad0[3];
	odd_Plain Second;
} odd_Pair_int8_odd_Plain;
#endif
POOLGEN_STATIC_ASSERT(sizeof(odd_Pair_int8_odd_Plain) == 16, "odd_Pair_int8_odd_Plain: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(odd_Pair_int8_odd_Plain) == 4, "odd_Pair_int8_odd_Plain: alignment");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Pair_int8_odd_Plain, First) == 0, "odd_Pair_int8_odd_Plain.First: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Pair_int8_odd_Plain, Second) == 4, "odd_Pair_int8_odd_Plain.Second: offset");
