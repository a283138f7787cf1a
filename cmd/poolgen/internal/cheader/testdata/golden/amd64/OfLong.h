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

// odd.Long of github.com/poolgen/poolgen/cmd/poolgen/internal/cheader/testdata/odd
#ifndef POOLGEN_odd_Long_E74D9BA5
#define POOLGEN_odd_Long_E74D9BA5
typedef struct odd_Long {
	uint16_t A[127];
} odd_Long;
#endif
POOLGEN_STATIC_ASSERT(sizeof(odd_Long) == 254, "odd_Long: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(odd_Long) == 2, "odd_Long: alignment");
POOLGEN_STATIC_ASSERT(offsetof(odd_Long, A) == 0, "odd_Long.A: offset");
