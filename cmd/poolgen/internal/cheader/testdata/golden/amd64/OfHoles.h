// head

#pragma once

#ifndef __CUDACC_RTC__
#include <stdbool.h>
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
POOLGEN_STATIC_ASSERT(sizeof(void *) == 8, "OfHoles: generated for 64 bits");

// odd.Holes of github.com/poolgen/poolgen/cmd/poolgen/internal/cheader/testdata/odd
#ifndef POOLGEN_odd_Holes_3833759A
#define POOLGEN_odd_Holes_3833759A
typedef struct odd_Holes {
	bool A;
	uint8_t _pad0[1];
	int16_t B;
	uint8_t C;
	uint8_t _pad1[3];
	double D;
	int8_t E;
	uint8_t _pad2[3];
	uint32_t F;
	uint8_t G;
	uint8_t _pad3[7];
} odd_Holes;
#endif
POOLGEN_STATIC_ASSERT(sizeof(odd_Holes) == 32, "odd_Holes: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(odd_Holes) == 8, "odd_Holes: alignment");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Holes, A) == 0, "odd_Holes.A: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Holes, B) == 2, "odd_Holes.B: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Holes, C) == 4, "odd_Holes.C: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Holes, D) == 8, "odd_Holes.D: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Holes, E) == 16, "odd_Holes.E: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Holes, F) == 20, "odd_Holes.F: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Holes, G) == 24, "odd_Holes.G: offset");
