// SPDX-License-Identifier: Apache-2.0

// The structs that are passed to the driver by address, in the layout of 64-bit platforms. Handles in them are 64-bit numbers,
// because Go must not see pointers. The assertions state the layout of the driver's own header, CUDA 12 and 13.

#ifndef POOLGEN_LAYOUT_H
#define POOLGEN_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#define SIZE(type, bytes) _Static_assert(sizeof(struct type) == bytes, #type " has another size")
#define AT(type, field, bytes) _Static_assert(offsetof(struct type, field) == bytes, #type "." #field " lies elsewhere")

_Static_assert(sizeof(void *) == 8 && sizeof(size_t) == 8, "the layouts are those of 64-bit platforms");

// CUmemLocation
struct location {
	int32_t type, id;
};
SIZE(location, 8);

// CUmemAccessDesc
struct access_desc {
	struct location location;
	int32_t flags;
};
SIZE(access_desc, 12);
AT(access_desc, flags, 8);

// CUmemPoolProps. In older drivers max_size and usage are reserved and must be 0.
struct pool_props {
	int32_t type, handles;
	struct location location;
	uint64_t security;
	uint64_t max_size;
	uint16_t usage;
	uint8_t reserved[54];
};
SIZE(pool_props, 88);
AT(pool_props, location, 8);
AT(pool_props, security, 16);
AT(pool_props, max_size, 24);
AT(pool_props, usage, 32);

// CUmemAllocationProp
struct allocation_props {
	int32_t type, handles;
	struct location location;
	uint64_t win32;
	uint8_t compression, rdma;
	uint16_t usage;
	uint8_t reserved[4];
};
SIZE(allocation_props, 32);
AT(allocation_props, location, 8);
AT(allocation_props, win32, 16);
AT(allocation_props, usage, 26);

// CUmemPoolPtrExportData
struct pointer_token {
	uint8_t bytes[64];
};
SIZE(pointer_token, 64);

// CUDA_ARRAY3D_DESCRIPTOR
struct array_desc {
	uint64_t width, height, depth;
	uint32_t format, channels, flags;
};
SIZE(array_desc, 40);
AT(array_desc, format, 24);
AT(array_desc, flags, 32);

// CUDA_ARRAY_SPARSE_PROPERTIES
struct sparse_props {
	uint32_t tile_width, tile_height, tile_depth;
	uint32_t tail_first_level;
	uint64_t tail_size;
	uint32_t flags;
	uint32_t reserved[4];
};
SIZE(sparse_props, 48);
AT(sparse_props, tail_size, 16);
AT(sparse_props, flags, 24);

struct sparse_region {
	uint32_t level, layer, x, y, z, width, height, depth;
};

struct sparse_tail {
	uint32_t layer;
	uint64_t offset, size;
};

// CUarrayMapInfo
struct array_map {
	int32_t resource_type;
	uint64_t resource;
	int32_t subresource_type;
	union {
		struct sparse_region region;
		struct sparse_tail tail;
	} where;
	int32_t operation, memory_type;
	uint64_t memory, offset;
	uint32_t devices, flags, reserved[2];
};
SIZE(array_map, 96);
AT(array_map, resource, 8);
AT(array_map, subresource_type, 16);
AT(array_map, where, 24);
AT(array_map, where.tail.size, 40);
AT(array_map, operation, 56);
AT(array_map, memory_type, 60);
AT(array_map, memory, 64);
AT(array_map, offset, 72);
AT(array_map, devices, 80);

// CUDA_MEMCPY2D
struct copy_2d {
	uint64_t from_x, from_y;
	int32_t from_type;
	const void *from_host;
	uint64_t from_device, from_array, from_pitch;
	uint64_t to_x, to_y;
	int32_t to_type;
	void *to_host;
	uint64_t to_device, to_array, to_pitch;
	uint64_t width, height;
};
SIZE(copy_2d, 128);
AT(copy_2d, from_host, 24);
AT(copy_2d, from_array, 40);
AT(copy_2d, to_x, 56);
AT(copy_2d, to_host, 80);
AT(copy_2d, to_array, 96);
AT(copy_2d, width, 112);

// CUgraphEdgeData
struct edge {
	uint8_t from_port, to_port, type, reserved[5];
};
SIZE(edge, 8);
AT(edge, type, 2);

#endif
