// head

#pragma once

#include <stddef.h>
#include <stdint.h>

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
#endif

// In Go, this layout depends on the machine. It is that of one of 64 bits.
POOLGEN_STATIC_ASSERT(sizeof(void *) == 8, "OfPairOfNumbers: generated for 64 bits");

// odd.Pair[int8, int64] of github.com/poolgen/poolgen/cmd/poolgen/internal/cheader/testdata/odd
#ifndef POOLGEN_odd_Pair_int8_int64_43CA542D
#define POOLGEN_odd_Pair_int8_int64_43CA542D
typedef struct odd_Pair_int8_int64 {
	int8_t First;
	uint8_t _pad0[7];
	int64_t Second;
} odd_Pair_int8_int64;
#endif
POOLGEN_STATIC_ASSERT(sizeof(odd_Pair_int8_int64) == 16, "odd_Pair_int8_int64: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(odd_Pair_int8_int64) == 8, "odd_Pair_int8_int64: alignment");
POOLGEN_STATIC_ASSERT(offsetof(odd_Pair_int8_int64, First) == 0, "odd_Pair_int8_int64.First: offset");
POOLGEN_STATIC_ASSERT(offsetof(odd_Pair_int8_int64, Second) == 8, "odd_Pair_int8_int64.Second: offset");
