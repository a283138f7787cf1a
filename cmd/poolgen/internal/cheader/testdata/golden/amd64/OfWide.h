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
POOLGEN_STATIC_ASSERT(sizeof(void *) == 8, "OfWide: generated for 64 bits");

// odd.Wide of github.com/poolgen/poolgen/cmd/poolgen/internal/cheader/testdata/odd
#ifndef POOLGEN_odd_Wide_1DB0EA24
#define POOLGEN_odd_Wide_1DB0EA24
typedef struct odd_Wide {
	POOLGEN_ALIGNAS(8) uint32_t A;
	uint8_t _pad0[4];
} odd_Wide;
#endif
POOLGEN_STATIC_ASSERT(sizeof(odd_Wide) == 8, "odd_Wide: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(odd_Wide) == 8, "odd_Wide: alignment");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Wide, A) == 0, "odd_Wide.A: offset");
