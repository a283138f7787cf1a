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

// the item
#ifndef POOLGEN_scene_UnnamedItem_185183A9
#define POOLGEN_scene_UnnamedItem_185183A9
typedef struct scene_UnnamedItem {
	uint8_t A;
	uint8_t _pad0[1];
	uint16_t B;
} scene_UnnamedItem;
#endif
POOLGEN_STATIC_ASSERT(sizeof(scene_UnnamedItem) == 4, "scene_UnnamedItem: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(scene_UnnamedItem) == 2, "scene_UnnamedItem: alignment");
POOLGEN_STATIC_ASSERT(offsetof(scene_UnnamedItem, A) == 0, "scene_UnnamedItem.A: offset");
POOLGEN_STATIC_ASSERT(offsetof(scene_UnnamedItem, B) == 2, "scene_UnnamedItem.B: offset");
