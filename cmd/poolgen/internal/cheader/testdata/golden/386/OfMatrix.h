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

// odd.Matrix, the item of pool OfMatrix
typedef float scene_OfMatrixItem[4][4];
POOLGEN_STATIC_ASSERT(sizeof(scene_OfMatrixItem) == 64, "scene_OfMatrixItem: size");
POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(scene_OfMatrixItem) == 4, "scene_OfMatrixItem: alignment");
