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

// [4]float32, the item of pool Weight
typedef float scene_WeightItem[4];
POOLGEN_STATIC_ASSERT(sizeof(scene_WeightItem) == 16, "scene_WeightItem: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(scene_WeightItem) == 4, "scene_WeightItem: alignment");
