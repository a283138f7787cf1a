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
POOLGEN_STATIC_ASSERT(sizeof(void *) == 8, "OfNumbers: generated for 64 bits");

#ifndef POOLGEN_COMPLEX64
#define POOLGEN_COMPLEX64
typedef struct poolgen_complex64 {
	float re, im;
} poolgen_complex64;
#endif

#ifndef POOLGEN_COMPLEX128
#define POOLGEN_COMPLEX128
typedef struct poolgen_complex128 {
	double re, im;
} poolgen_complex128;
#endif

// odd.Numbers of github.com/poolgen/poolgen/cmd/poolgen/internal/cheader/testdata/odd
#ifndef POOLGEN_odd_Numbers_AD35520B
#define POOLGEN_odd_Numbers_AD35520B
typedef struct odd_Numbers {
	bool Bool;
	int8_t I8;
	int16_t I16;
	int32_t I32;
	int64_t I64;
	uint8_t U8;
	uint8_t _pad0[1];
	uint16_t U16;
	uint32_t U32;
	uint64_t U64;
	float F32;
	uint8_t _pad1[4];
	double F64;
	poolgen_complex64 C64;
	uint8_t After;
	uint8_t _pad2[7];
	poolgen_complex128 C128;
	uint8_t Byte;
	uint8_t _pad3[3];
	int32_t Rune;
	int64_t Signed;
	uint64_t Unsigned;
	uintptr_t Address;
	int16_t Rows[2][3];
	uint8_t _pad4[4];
	uint32_t Colour;
	uint8_t _pad5[2];
	bool Last;
	uint8_t _pad6[1];
	float Infinite;
	float NotANumber_;
} odd_Numbers;
#endif
POOLGEN_STATIC_ASSERT(sizeof(odd_Numbers) == 144, "odd_Numbers: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(odd_Numbers) == 8, "odd_Numbers: alignment");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Numbers, Bool) == 0, "odd_Numbers.Bool: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Numbers, I8) == 1, "odd_Numbers.I8: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Numbers, I16) == 2, "odd_Numbers.I16: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Numbers, I32) == 4, "odd_Numbers.I32: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Numbers, I64) == 8, "odd_Numbers.I64: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Numbers, U8) == 16, "odd_Numbers.U8: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Numbers, U16) == 18, "odd_Numbers.U16: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Numbers, U32) == 20, "odd_Numbers.U32: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Numbers, U64) == 24, "odd_Numbers.U64: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Numbers, F32) == 32, "odd_Numbers.F32: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Numbers, F64) == 40, "odd_Numbers.F64: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Numbers, C64) == 48, "odd_Numbers.C64: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Numbers, After) == 56, "odd_Numbers.After: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Numbers, C128) == 64, "odd_Numbers.C128: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Numbers, Byte) == 80, "odd_Numbers.Byte: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Numbers, Rune) == 84, "odd_Numbers.Rune: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Numbers, Signed) == 88, "odd_Numbers.Signed: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Numbers, Unsigned) == 96, "odd_Numbers.Unsigned: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Numbers, Address) == 104, "odd_Numbers.Address: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Numbers, Rows) == 112, "odd_Numbers.Rows: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Numbers, Colour) == 128, "odd_Numbers.Colour: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Numbers, Last) == 134, "odd_Numbers.Last: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Numbers, Infinite) == 136, "odd_Numbers.Infinite: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(odd_Numbers, NotANumber_) == 140, "odd_Numbers.NotANumber_: offset");
