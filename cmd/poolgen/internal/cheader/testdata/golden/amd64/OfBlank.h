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

// odd.Blank of github.com/poolgen/poolgen/cmd/poolgen/internal/cheader/testdata/odd
#ifndef POOLGEN_odd_Blank_2C187EE7
#define POOLGEN_odd_Blank_2C187EE7
typedef struct odd_Blank {
	POOLGEN_ALIGNAS(4) uint8_t _pad0[8];
} odd_Blank;
#endif
POOLGEN_STATIC_ASSERT(sizeof(odd_Blank) == 8, "odd_Blank: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(odd_Blank) == 4, "odd_Blank: alignment");
