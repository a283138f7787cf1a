//go:build cgo && linux && (amd64 || arm64)

package native

// #cgo noescape array_create
// #cgo nocallback array_create
// #cgo noescape mipmap_create
// #cgo nocallback mipmap_create
// #include "table.h"
//
// #define HOST 1
// #define ARRAY 3
//
// typedef struct { struct sparse_props props; int32_t result; } sparse;
//
// static number array_create(uint64_t ctx, const struct array_desc *d) {
//	handle a = 0;
//	int r = IN(ctx, cuArray3DCreate, &a, d);
//	return (number){N(a), r};
// }
// static int array_destroy(uint64_t ctx, uint64_t a) { return IN(ctx, cuArrayDestroy, H(a)); }
// static sparse array_sparse(uint64_t ctx, uint64_t a) {
//	sparse s = {{0}};
//	s.result = IN(ctx, cuArrayGetSparseProperties, &s.props, H(a));
//	return s;
// }
// static number mipmap_create(uint64_t ctx, const struct array_desc *d, unsigned levels) {
//	handle a = 0;
//	int r = IN(ctx, cuMipmappedArrayCreate, &a, d, levels);
//	return (number){N(a), r};
// }
// static int mipmap_destroy(uint64_t ctx, uint64_t a) { return IN(ctx, cuMipmappedArrayDestroy, H(a)); }
// static sparse mipmap_sparse(uint64_t ctx, uint64_t a) {
//	sparse s = {{0}};
//	s.result = IN(ctx, cuMipmappedArrayGetSparseProperties, &s.props, H(a));
//	return s;
// }
// static number mipmap_level(uint64_t ctx, uint64_t a, unsigned level) {
//	handle l = 0;
//	int r = IN(ctx, cuMipmappedArrayGetLevel, &l, H(a), level);
//	return (number){N(l), r};
// }
// static int array_map_tiles(uint64_t ctx, struct array_map *m, unsigned n, uint64_t s) {
//	return IN(ctx, cuMemMapArrayAsync, m, n, H(s));
// }
// static struct copy_2d to_array(uint64_t a, uint64_t x, uint64_t y, uint64_t w, uint64_t h, const uint8_t *from, uint64_t pitch) {
//	return (struct copy_2d){.from_type = HOST, .from_host = from, .from_pitch = pitch,
//		.to_type = ARRAY, .to_array = a, .to_x = x, .to_y = y, .width = w, .height = h};
// }
// static struct copy_2d from_array(uint8_t *to, uint64_t pitch, uint64_t a, uint64_t x, uint64_t y, uint64_t w, uint64_t h) {
//	return (struct copy_2d){.to_type = HOST, .to_host = to, .to_pitch = pitch,
//		.from_type = ARRAY, .from_array = a, .from_x = x, .from_y = y, .width = w, .height = h};
// }
// static int array_copy_to(uint64_t ctx, uint64_t a, uint64_t x, uint64_t y, uint64_t w, uint64_t h, const uint8_t *from, uint64_t pitch) {
//	struct copy_2d c = to_array(a, x, y, w, h, from, pitch);
//	return IN(ctx, cuMemcpy2D, &c);
// }
// static int array_copy_from(uint64_t ctx, uint8_t *to, uint64_t pitch, uint64_t a, uint64_t x, uint64_t y, uint64_t w, uint64_t h) {
//	struct copy_2d c = from_array(to, pitch, a, x, y, w, h);
//	return IN(ctx, cuMemcpy2D, &c);
// }
// static int array_copy_to_on(uint64_t ctx, uint64_t a, uint64_t x, uint64_t y, uint64_t w, uint64_t h, const uint8_t *from, uint64_t pitch, uint64_t s) {
//	struct copy_2d c = to_array(a, x, y, w, h, from, pitch);
//	return IN(ctx, cuMemcpy2DAsync, &c, H(s));
// }
// static int array_copy_from_on(uint64_t ctx, uint8_t *to, uint64_t pitch, uint64_t a, uint64_t x, uint64_t y, uint64_t w, uint64_t h, uint64_t s) {
//	struct copy_2d c = from_array(to, pitch, a, x, y, w, h);
//	return IN(ctx, cuMemcpy2DAsync, &c, H(s));
// }
import "C"

import (
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

func arrayDesc(d abi.ArrayDesc) C.struct_array_desc {
	desc := C.struct_array_desc{
		width: C.uint64_t(d.Width), height: C.uint64_t(d.Height), depth: C.uint64_t(d.Depth),
		format: C.uint32_t(d.Format), channels: C.uint32_t(d.Channels), flags: abi.ArraySparse,
	}
	if d.Layered {
		desc.flags |= abi.ArrayLayered
	}
	return desc
}

func sparseProps(s C.sparse) (abi.SparseProps, abi.Result) {
	p := s.props
	return abi.SparseProps{
		TileWidth: uint32(p.tile_width), TileHeight: uint32(p.tile_height), TileDepth: uint32(p.tile_depth),
		MipTailFirstLevel: uint32(p.tail_first_level), MipTailSize: uint64(p.tail_size),
		SingleMipTail: p.flags&abi.SparseSingleMipTail != 0,
	}, abi.Result(s.result)
}

// ArrayCreateSparse makes a texture without memory.
func (Driver) ArrayCreateSparse(ctx abi.Context, d abi.ArrayDesc) (abi.Array, abi.Result) {
	desc := arrayDesc(d)
	r := C.array_create(C.uint64_t(ctx), &desc)
	return abi.Array(r.value), abi.Result(r.result)
}

// ArrayDestroy destroys the texture, and not the memory bound to it.
func (Driver) ArrayDestroy(ctx abi.Context, a abi.Array) abi.Result {
	return abi.Result(C.array_destroy(C.uint64_t(ctx), C.uint64_t(a)))
}

// ArrayGetSparseProperties returns the size of a tile.
func (Driver) ArrayGetSparseProperties(ctx abi.Context, a abi.Array) (abi.SparseProps, abi.Result) {
	return sparseProps(C.array_sparse(C.uint64_t(ctx), C.uint64_t(a)))
}

// MipmappedArrayCreateSparse makes a texture with levels, without memory.
func (Driver) MipmappedArrayCreateSparse(ctx abi.Context, d abi.ArrayDesc, levels uint32) (abi.Mipmap, abi.Result) {
	desc := arrayDesc(d)
	r := C.mipmap_create(C.uint64_t(ctx), &desc, C.uint(levels))
	return abi.Mipmap(r.value), abi.Result(r.result)
}

// MipmappedArrayDestroy destroys a texture and its levels.
func (Driver) MipmappedArrayDestroy(ctx abi.Context, m abi.Mipmap) abi.Result {
	return abi.Result(C.mipmap_destroy(C.uint64_t(ctx), C.uint64_t(m)))
}

// MipmappedArrayGetSparseProperties returns the size of a tile and the start of the mip tail.
func (Driver) MipmappedArrayGetSparseProperties(ctx abi.Context, m abi.Mipmap) (abi.SparseProps, abi.Result) {
	return sparseProps(C.mipmap_sparse(C.uint64_t(ctx), C.uint64_t(m)))
}

// MipmappedArrayGetLevel returns one level, which is destroyed with the texture.
func (Driver) MipmappedArrayGetLevel(ctx abi.Context, m abi.Mipmap, level uint32) (abi.Array, abi.Result) {
	r := C.mipmap_level(C.uint64_t(ctx), C.uint64_t(m), C.uint(level))
	return abi.Array(r.value), abi.Result(r.result)
}

// MemMapArrayAsync binds and unbinds tiles, in the order of the stream.
func (Driver) MemMapArrayAsync(ctx abi.Context, m []abi.ArrayMap, s abi.Stream) abi.Result {
	if len(m) == 0 {
		return abi.Success
	}
	list := make([]C.struct_array_map, len(m))
	for i := range m {
		list[i] = arrayMap(&m[i])
	}
	return abi.Result(C.array_map_tiles(C.uint64_t(ctx), &list[0], C.uint(len(list)), C.uint64_t(s)))
}

// MemcpyToArray copies rows of bytes to a place given in bytes and rows; it returns when they are there.
func (Driver) MemcpyToArray(ctx abi.Context, a abi.Array, x, y, widthBytes, height uint64, src unsafe.Pointer, pitch uint64) abi.Result {
	return abi.Result(C.array_copy_to(C.uint64_t(ctx), C.uint64_t(a), C.uint64_t(x), C.uint64_t(y),
		C.uint64_t(widthBytes), C.uint64_t(height), (*C.uint8_t)(src), C.uint64_t(pitch)))
}

// MemcpyFromArray copies rows back.
func (Driver) MemcpyFromArray(ctx abi.Context, dst unsafe.Pointer, pitch uint64, a abi.Array, x, y, widthBytes, height uint64) abi.Result {
	return abi.Result(C.array_copy_from(C.uint64_t(ctx), (*C.uint8_t)(dst), C.uint64_t(pitch), C.uint64_t(a),
		C.uint64_t(x), C.uint64_t(y), C.uint64_t(widthBytes), C.uint64_t(height)))
}

// MemcpyToArrayAsync reads src when the stream reaches the copy.
func (Driver) MemcpyToArrayAsync(ctx abi.Context, a abi.Array, x, y, widthBytes, height uint64, src unsafe.Pointer, pitch uint64, s abi.Stream) abi.Result {
	return abi.Result(C.array_copy_to_on(C.uint64_t(ctx), C.uint64_t(a), C.uint64_t(x), C.uint64_t(y),
		C.uint64_t(widthBytes), C.uint64_t(height), (*C.uint8_t)(src), C.uint64_t(pitch), C.uint64_t(s)))
}

// MemcpyFromArrayAsync writes dst when the stream reaches the copy.
func (Driver) MemcpyFromArrayAsync(ctx abi.Context, dst unsafe.Pointer, pitch uint64, a abi.Array, x, y, widthBytes, height uint64, s abi.Stream) abi.Result {
	return abi.Result(C.array_copy_from_on(C.uint64_t(ctx), (*C.uint8_t)(dst), C.uint64_t(pitch), C.uint64_t(a),
		C.uint64_t(x), C.uint64_t(y), C.uint64_t(widthBytes), C.uint64_t(height), C.uint64_t(s)))
}
