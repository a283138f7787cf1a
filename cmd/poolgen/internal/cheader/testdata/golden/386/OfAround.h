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

// In Go, this layout depends on the machine. It is that of one of 32 bits.
POOLGEN_STATIC_ASSERT(sizeof(void *) == 4, "OfAround: generated for 32 bits");

// odd.Small of github.com/poolgen/poolgen/cmd/poolgen/internal/cheader/testdata/odd
#ifndef POOLGEN_odd_Small_25A91E5A
#define POOLGEN_odd_Small_25A91E5A
typedef struct odd_Small {
	bool On;
} odd_Small;
#endif
POOLGEN_STATIC_ASSERT(sizeof(odd_Small) == 1, "odd_Small: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(odd_Small) == 1, "odd_Small: alignment");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Small, On) == 0, "odd_Small.On: offset");

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
	uint8_t _pad3[3];
} odd_Holes;
#endif
POOLGEN_STATIC_ASSERT(sizeof(odd_Holes) == 28, "odd_Holes: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(odd_Holes) == 4, "odd_Holes: alignment");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Holes, A) == 0, "odd_Holes.A: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Holes, B) == 2, "odd_Holes.B: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Holes, C) == 4, "odd_Holes.C: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Holes, D) == 8, "odd_Holes.D: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Holes, E) == 16, "odd_Holes.E: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Holes, F) == 20, "odd_Holes.F: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Holes, G) == 24, "odd_Holes.G: offset");

// odd.Holes of github.com/poolgen/poolgen/cmd/poolgen/internal/cheader/testdata/other/odd
#ifndef POOLGEN_odd_Holes_2_E6A33933
#define POOLGEN_odd_Holes_2_E6A33933
typedef struct odd_Holes_2 {
	uint8_t A;
	uint8_t _pad0[3];
	uint64_t B;
} odd_Holes_2;
#endif
POOLGEN_STATIC_ASSERT(sizeof(odd_Holes_2) == 12, "odd_Holes_2: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(odd_Holes_2) == 4, "odd_Holes_2: alignment");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Holes_2, A) == 0, "odd_Holes_2.A: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Holes_2, B) == 4, "odd_Holes_2.B: offset");

// odd.Plain of github.com/poolgen/poolgen/cmd/poolgen/internal/cheader/testdata/other/odd
#ifndef POOLGEN_odd_Plain_2_110B09FC
#define POOLGEN_odd_Plain_2_110B09FC
typedef struct odd_Plain_2 {
	uint16_t X;
	uint16_t Y;
} odd_Plain_2;
#endif
POOLGEN_STATIC_ASSERT(sizeof(odd_Plain_2) == 4, "odd_Plain_2: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(odd_Plain_2) == 2, "odd_Plain_2: alignment");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Plain_2, X) == 0, "odd_Plain_2.X: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Plain_2, Y) == 2, "odd_Plain_2.Y: offset");

// field B of odd_Nested_Inner
#ifndef POOLGEN_odd_Nested_Inner_B_76E94F7F
#define POOLGEN_odd_Nested_Inner_B_76E94F7F
typedef struct odd_Nested_Inner_B {
	uint16_t C;
	uint16_t D;
} odd_Nested_Inner_B;
#endif
POOLGEN_STATIC_ASSERT(sizeof(odd_Nested_Inner_B) == 4, "odd_Nested_Inner_B: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(odd_Nested_Inner_B) == 2, "odd_Nested_Inner_B: alignment");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Nested_Inner_B, C) == 0, "odd_Nested_Inner_B.C: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Nested_Inner_B, D) == 2, "odd_Nested_Inner_B.D: offset");

// field Inner of odd_Nested
#ifndef POOLGEN_odd_Nested_Inner_414DE9B1
#define POOLGEN_odd_Nested_Inner_414DE9B1
typedef struct odd_Nested_Inner {
	uint8_t A;
	uint8_t _pad0[1];
	odd_Nested_Inner_B B;
} odd_Nested_Inner;
#endif
POOLGEN_STATIC_ASSERT(sizeof(odd_Nested_Inner) == 6, "odd_Nested_Inner: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(odd_Nested_Inner) == 2, "odd_Nested_Inner: alignment");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Nested_Inner, A) == 0, "odd_Nested_Inner.A: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Nested_Inner, B) == 2, "odd_Nested_Inner.B: offset");

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

// odd.Pair[uint8, odd.Plain] of github.com/poolgen/poolgen/cmd/poolgen/internal/cheader/testdata/odd
#ifndef POOLGEN_odd_Pair_uint8_odd_Plain_B981B223
#define POOLGEN_odd_Pair_uint8_odd_Plain_B981B223
typedef struct odd_Pair_uint8_odd_Plain {
	uint8_t First;
	uint8_t _pad0[3];
	odd_Plain Second;
} odd_Pair_uint8_odd_Plain;
#endif
POOLGEN_STATIC_ASSERT(sizeof(odd_Pair_uint8_odd_Plain) == 16, "odd_Pair_uint8_odd_Plain: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(odd_Pair_uint8_odd_Plain) == 4, "odd_Pair_uint8_odd_Plain: alignment");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Pair_uint8_odd_Plain, First) == 0, "odd_Pair_uint8_odd_Plain.First: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Pair_uint8_odd_Plain, Second) == 4, "odd_Pair_uint8_odd_Plain.Second: offset");

// odd.Nested of github.com/poolgen/poolgen/cmd/poolgen/internal/cheader/testdata/odd
#ifndef POOLGEN_odd_Nested_5AF5D730
#define POOLGEN_odd_Nested_5AF5D730
typedef struct odd_Nested {
	odd_Small Small;
	uint8_t _pad0[3];
	odd_Holes Mine;
	odd_Holes_2 Theirs;
	odd_Plain_2 Rows[2];
	odd_Nested_Inner Inner;
	uint8_t _pad1[2];
	odd_Holes Again;
	odd_Pair_uint8_odd_Plain Pair;
} odd_Nested;
#endif
POOLGEN_STATIC_ASSERT(sizeof(odd_Nested) == 104, "odd_Nested: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(odd_Nested) == 4, "odd_Nested: alignment");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Nested, Small) == 0, "odd_Nested.Small: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Nested, Mine) == 4, "odd_Nested.Mine: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Nested, Theirs) == 32, "odd_Nested.Theirs: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Nested, Rows) == 44, "odd_Nested.Rows: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Nested, Inner) == 52, "odd_Nested.Inner: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Nested, Again) == 60, "odd_Nested.Again: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Nested, Pair) == 88, "odd_Nested.Pair: offset");

// field Inner of odd_Around
#ifndef POOLGEN_odd_Around_Inner_096C2460
#define POOLGEN_odd_Around_Inner_096C2460
typedef struct odd_Around_Inner {
	uint16_t A;
} odd_Around_Inner;
#endif
POOLGEN_STATIC_ASSERT(sizeof(odd_Around_Inner) == 2, "odd_Around_Inner: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(odd_Around_Inner) == 2, "odd_Around_Inner: alignment");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Around_Inner, A) == 0, "odd_Around_Inner.A: offset");

// odd.Around of github.com/poolgen/poolgen/cmd/poolgen/internal/cheader/testdata/odd
#ifndef POOLGEN_odd_Around_D846BFB6
#define POOLGEN_odd_Around_D846BFB6
typedef struct odd_Around {
	odd_Nested Nested;
	odd_Around_Inner Inner;
	uint8_t _pad0[2];
} odd_Around;
#endif
POOLGEN_STATIC_ASSERT(sizeof(odd_Around) == 108, "odd_Around: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(odd_Around) == 4, "odd_Around: alignment");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Around, Nested) == 0, "odd_Around.Nested: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Around, Inner) == 104, "odd_Around.Inner: offset");
