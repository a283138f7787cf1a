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
POOLGEN_STATIC_ASSERT(offsetof(odd_Plain, X) == 0, "odd_Plain.X: offset");
POOLGEN_STATIC_ASSERT(offsetof(odd_Plain, Y) == 4, "odd_Plain.Y: offset");
POOLGEN_STATIC_ASSERT(offsetof(odd_Plain, Z) == 8, "odd_Plain.Z: offset");

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
	uint8_t _pad2[2];
	uint64_t gru00F6u00DFe; // größe
	uint8_t _pad1;
	uint8_t _pad3[3];
	odd_Plain Odd_Plain;
} odd_Words;
#endif
POOLGEN_STATIC_ASSERT(sizeof(odd_Words) == 36, "odd_Words: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(odd_Words) == 4, "odd_Words: alignment");
POOLGEN_STATIC_ASSERT(offsetof(odd_Words, class__) == 0, "odd_Words.class__: offset");
POOLGEN_STATIC_ASSERT(offsetof(odd_Words, class_) == 1, "odd_Words.class_: offset");
POOLGEN_STATIC_ASSERT(offsetof(odd_Words, template_) == 2, "odd_Words.template_: offset");
POOLGEN_STATIC_ASSERT(offsetof(odd_Words, int8_t_) == 3, "odd_Words.int8_t_: offset");
POOLGEN_STATIC_ASSERT(offsetof(odd_Words, __global___) == 4, "odd_Words.__global___: offset");
POOLGEN_STATIC_ASSERT(offsetof(odd_Words, _pad0) == 6, "odd_Words._pad0: offset");
POOLGEN_STATIC_ASSERT(offsetof(odd_Words, linux_) == 8, "odd_Words.linux_: offset");
POOLGEN_STATIC_ASSERT(offsetof(odd_Words, gru00F6u00DFe) == 12, "odd_Words.gru00F6u00DFe: offset");
POOLGEN_STATIC_ASSERT(offsetof(odd_Words, _pad1) == 20, "odd_Words._pad1: offset");
POOLGEN_STATIC_ASSERT(offsetof(odd_Words, Odd_Plain) == 24, "odd_Words.Odd_Plain: offset");
