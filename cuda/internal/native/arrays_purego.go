//go:build !cgo && poolgen_purego && linux && (amd64 || arm64)

package native

import (
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/layout"
)

func arrayDescOf(d abi.ArrayDesc) layout.ArrayDesc {
	desc := layout.ArrayDesc{
		Width: d.Width, Height: d.Height, Depth: d.Depth,
		Format: uint32(d.Format), Channels: d.Channels, Flags: abi.ArraySparse,
	}
	if d.Layered {
		desc.Flags |= abi.ArrayLayered
	}
	return desc
}

// sparseOf asks for the properties of an array by one of two functions.
func sparseOf(ctx abi.Context, f, handle uintptr) (abi.SparseProps, abi.Result) {
	m := borrow()
	defer m.giveBack()
	r := in(ctx, f, place(m, layout.SparseProps{}), handle)
	p := placed[layout.SparseProps](m)
	return abi.SparseProps{
		TileWidth: p.TileWidth, TileHeight: p.TileHeight, TileDepth: p.TileDepth,
		MipTailFirstLevel: p.TailFirstLevel, MipTailSize: p.TailSize,
		SingleMipTail: p.Flags&abi.SparseSingleMipTail != 0,
	}, r
}

// ArrayCreateSparse makes a texture without memory.
func (Driver) ArrayCreateSparse(ctx abi.Context, d abi.ArrayDesc) (abi.Array, abi.Result) {
	m := borrow()
	defer m.giveBack()
	a, r := fetchIn(ctx, table.cuArray3DCreate, place(m, arrayDescOf(d)))
	return abi.Array(a), r
}

// ArrayDestroy destroys the texture, and not the memory bound to it.
func (Driver) ArrayDestroy(ctx abi.Context, a abi.Array) abi.Result {
	return in(ctx, table.cuArrayDestroy, uintptr(a))
}

// ArrayGetSparseProperties returns the size of a tile.
func (Driver) ArrayGetSparseProperties(ctx abi.Context, a abi.Array) (abi.SparseProps, abi.Result) {
	return sparseOf(ctx, table.cuArrayGetSparseProperties, uintptr(a))
}

// MipmappedArrayCreateSparse makes a texture with levels, without memory.
func (Driver) MipmappedArrayCreateSparse(ctx abi.Context, d abi.ArrayDesc, levels uint32) (abi.Mipmap, abi.Result) {
	m := borrow()
	defer m.giveBack()
	a, r := fetchIn(ctx, table.cuMipmappedArrayCreate, place(m, arrayDescOf(d)), uintptr(levels))
	return abi.Mipmap(a), r
}

// MipmappedArrayDestroy destroys a texture and its levels.
func (Driver) MipmappedArrayDestroy(ctx abi.Context, a abi.Mipmap) abi.Result {
	return in(ctx, table.cuMipmappedArrayDestroy, uintptr(a))
}

// MipmappedArrayGetSparseProperties returns the size of a tile and the start of the mip tail.
func (Driver) MipmappedArrayGetSparseProperties(ctx abi.Context, m abi.Mipmap) (abi.SparseProps, abi.Result) {
	return sparseOf(ctx, table.cuMipmappedArrayGetSparseProperties, uintptr(m))
}

// MipmappedArrayGetLevel returns one level, which is destroyed with the texture.
func (Driver) MipmappedArrayGetLevel(ctx abi.Context, m abi.Mipmap, level uint32) (abi.Array, abi.Result) {
	a, r := fetchIn(ctx, table.cuMipmappedArrayGetLevel, uintptr(m), uintptr(level))
	return abi.Array(a), r
}

// MemMapArrayAsync binds and unbinds tiles, in the order of the stream.
func (Driver) MemMapArrayAsync(ctx abi.Context, maps []abi.ArrayMap, s abi.Stream) abi.Result {
	if len(maps) == 0 {
		return abi.Success
	}
	list := make([]layout.ArrayMap, len(maps))
	for i := range maps {
		list[i] = arrayMapOf(&maps[i])
	}
	m := borrow()
	defer m.giveBack()
	return in(ctx, table.cuMemMapArrayAsync, m.hold(unsafe.Pointer(&list[0])), uintptr(len(list)), uintptr(s))
}

// MemcpyToArray copies rows of bytes to a place given in bytes and rows; it returns when they are there.
func (Driver) MemcpyToArray(ctx abi.Context, a abi.Array, x, y, widthBytes, height uint64, src unsafe.Pointer, pitch uint64) abi.Result {
	m := borrow()
	defer m.giveBack()
	return in(ctx, table.cuMemcpy2D, place(m, toArray(a, x, y, widthBytes, height, m.hold(src), pitch)))
}

// MemcpyFromArray copies rows back.
func (Driver) MemcpyFromArray(ctx abi.Context, dst unsafe.Pointer, pitch uint64, a abi.Array, x, y, widthBytes, height uint64) abi.Result {
	m := borrow()
	defer m.giveBack()
	return in(ctx, table.cuMemcpy2D, place(m, fromArray(m.hold(dst), pitch, a, x, y, widthBytes, height)))
}

// MemcpyToArrayAsync reads src when the stream reaches the copy.
func (Driver) MemcpyToArrayAsync(ctx abi.Context, a abi.Array, x, y, widthBytes, height uint64, src unsafe.Pointer, pitch uint64, s abi.Stream) abi.Result {
	m := borrow()
	defer m.giveBack()
	return in(ctx, table.cuMemcpy2DAsync, place(m, toArray(a, x, y, widthBytes, height, m.hold(src), pitch)), uintptr(s))
}

// MemcpyFromArrayAsync writes dst when the stream reaches the copy.
func (Driver) MemcpyFromArrayAsync(ctx abi.Context, dst unsafe.Pointer, pitch uint64, a abi.Array, x, y, widthBytes, height uint64, s abi.Stream) abi.Result {
	m := borrow()
	defer m.giveBack()
	return in(ctx, table.cuMemcpy2DAsync, place(m, fromArray(m.hold(dst), pitch, a, x, y, widthBytes, height)), uintptr(s))
}

func toArray(a abi.Array, x, y, width, height uint64, src uintptr, pitch uint64) layout.Copy2D {
	return layout.Copy2D{
		FromType: abi.MemoryTypeHost, FromHost: src, FromPitch: pitch,
		ToType: abi.MemoryTypeArray, ToArray: uint64(a), ToX: x, ToY: y, Width: width, Height: height,
	}
}

func fromArray(dst uintptr, pitch uint64, a abi.Array, x, y, width, height uint64) layout.Copy2D {
	return layout.Copy2D{
		ToType: abi.MemoryTypeHost, ToHost: dst, ToPitch: pitch,
		FromType: abi.MemoryTypeArray, FromArray: uint64(a), FromX: x, FromY: y, Width: width, Height: height,
	}
}
