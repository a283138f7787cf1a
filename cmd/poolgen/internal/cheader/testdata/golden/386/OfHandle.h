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
POOLGEN_STATIC_ASSERT(sizeof(void *) == 4, "OfHandle: generated for 32 bits");

// odd.Handle, the item of pool OfHandle
typedef uint64_t scene_OfHandleItem;
POOLGEN_STATIC_ASSERT(sizeof(scene_OfHandleItem) == 8, "scene_OfHandleItem: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(scene_OfHandleItem) == 4, "scene_OfHandleItem: alignment");
