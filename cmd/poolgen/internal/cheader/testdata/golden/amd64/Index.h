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
POOLGEN_STATIC_ASSERT(sizeof(void *) == 8, "Index: generated for 64 bits");

// int, the item of pool Index
typedef int64_t scene_IndexItem;
POOLGEN_STATIC_ASSERT(sizeof(scene_IndexItem) == 8, "scene_IndexItem: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(scene_IndexItem) == 8, "scene_IndexItem: alignment");
