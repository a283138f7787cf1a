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

// In Go, this layout depends on the machine. It is that of one of 32 bits.
POOLGEN_STATIC_ASSERT(sizeof(void *) == 4, "OfWords: generated for 32 bits");

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

// odd.Words of github.com/poolgen/poolgen/cmd/poolgen/internal/cheader/testdata/odd
#ifndef POOLGEN_odd_Words_9836761C
#define POOLGEN_odd_Words_9836761C
typedef struct odd_Words {
	uint8_t class__; // class
	uint8_t class_;
	uint8_t template_; // template
	uint8_t int8_t_; // int8_t
	uint16_t __global___; // __global__
	uint16_t _pad0;
	uint16_t linux_; // linux
	uint8_t _Bool_; // _Bool
	uint8_t _Static_assert_; // _Static_assert
	uint8_t _x;
	uint8_t NULL_; // NULL
	uint8_t EOF_; // EOF
	uint8_t INFINITY_; // INFINITY
	uint8_t NAN_; // NAN
	uint8_t errno_; // errno
	uint8_t size_t_; // size_t
	uint8_t I_; // I
	uint8_t noreturn_; // noreturn
	uint8_t POOLGEN_ALIGNAS_; // POOLGEN_ALIGNAS
	uint8_t _pad2[2];
	uint64_t gru00F6u00DFe; // größe
	uint8_t _pad1;
	uint8_t _pad3[3];
	odd_Plain Odd_Plain;
} odd_Words;
#endif
POOLGEN_STATIC_ASSERT(sizeof(odd_Words) == 48, "odd_Words: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(odd_Words) == 4, "odd_Words: alignment");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Words, class__) == 0, "odd_Words.class__: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Words, class_) == 1, "odd_Words.class_: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Words, template_) == 2, "odd_Words.template_: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Words, int8_t_) == 3, "odd_Words.int8_t_: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Words, __global___) == 4, "odd_Words.__global___: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Words, _pad0) == 6, "odd_Words._pad0: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Words, linux_) == 8, "odd_Words.linux_: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Words, _Bool_) == 10, "odd_Words._Bool_: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Words, _Static_assert_) == 11, "odd_Words._Static_assert_: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Words, _x) == 12, "odd_Words._x: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Words, NULL_) == 13, "odd_Words.NULL_: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Words, EOF_) == 14, "odd_Words.EOF_: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Words, INFINITY_) == 15, "odd_Words.INFINITY_: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Words, NAN_) == 16, "odd_Words.NAN_: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Words, errno_) == 17, "odd_Words.errno_: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Words, size_t_) == 18, "odd_Words.size_t_: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Words, I_) == 19, "odd_Words.I_: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Words, noreturn_) == 20, "odd_Words.noreturn_: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Words, POOLGEN_ALIGNAS_) == 21, "odd_Words.POOLGEN_ALIGNAS_: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Words, gru00F6u00DFe) == 24, "odd_Words.gru00F6u00DFe: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Words, _pad1) == 32, "odd_Words._pad1: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Words, Odd_Plain) == 36, "odd_Words.Odd_Plain: offset");
