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
POOLGEN_STATIC_ASSERT(sizeof(void *) == 8, "OfCounted: generated for 64 bits");

// atomic.Int64 of sync/atomic
#ifndef POOLGEN_atomic_Int64_69EB7C87
#define POOLGEN_atomic_Int64_69EB7C87
typedef struct atomic_Int64 {
	int64_t v;
} atomic_Int64;
#endif
POOLGEN_STATIC_ASSERT(sizeof(atomic_Int64) == 8, "atomic_Int64: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(atomic_Int64) == 8, "atomic_Int64: alignment");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(atomic_Int64, v) == 0, "atomic_Int64.v: offset");

// atomic.Bool of sync/atomic
#ifndef POOLGEN_atomic_Bool_5D431DE4
#define POOLGEN_atomic_Bool_5D431DE4
typedef struct atomic_Bool {
	uint32_t v;
} atomic_Bool;
#endif
POOLGEN_STATIC_ASSERT(sizeof(atomic_Bool) == 4, "atomic_Bool: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(atomic_Bool) == 4, "atomic_Bool: alignment");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(atomic_Bool, v) == 0, "atomic_Bool.v: offset");

// odd.Counted of github.com/poolgen/poolgen/cmd/poolgen/internal/cheader/testdata/odd
#ifndef POOLGEN_odd_Counted_2C5D4BDB
#define POOLGEN_odd_Counted_2C5D4BDB
typedef struct odd_Counted {
	uint32_t A;
	uint8_t _pad0[4];
	atomic_Int64 N;
	atomic_Bool B;
	uint8_t _pad1[4];
} odd_Counted;
#endif
POOLGEN_STATIC_ASSERT(sizeof(odd_Counted) == 24, "odd_Counted: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(odd_Counted) == 8, "odd_Counted: alignment");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Counted, A) == 0, "odd_Counted.A: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Counted, N) == 8, "odd_Counted.N: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Counted, B) == 16, "odd_Counted.B: offset");
