// head

#pragma once

#include <stdbool.h>
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

// odd.Small of github.com/poolgen/poolgen/cmd/poolgen/internal/cheader/testdata/odd
#ifndef POOLGEN_odd_Small_25A91E5A
#define POOLGEN_odd_Small_25A91E5A
typedef struct odd_Small {
	bool On;
} odd_Small;
#endif
POOLGEN_STATIC_ASSERT(sizeof(odd_Small) == 1, "odd_Small: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(odd_Small) == 1, "odd_Small: alignment");
POOLGEN_STATIC_ASSERT(offsetof(odd_Small, On) == 0, "odd_Small.On: offset");
