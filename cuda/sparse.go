package cuda

import (
	"math"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// Format is the type of a texture's channels, by the driver's number.
type Format int32

// Formats of channels.
const (
	Uint8   = Format(abi.FormatUint8)
	Uint16  = Format(abi.FormatUint16)
	Uint32  = Format(abi.FormatUint32)
	Int8    = Format(abi.FormatInt8)
	Int16   = Format(abi.FormatInt16)
	Int32   = Format(abi.FormatInt32)
	Float16 = Format(abi.FormatHalf)
	Float32 = Format(abi.FormatFloat32)
)

// bytes returns the size of a channel, 0 for formats that this package does not name.
func (f Format) bytes() int64 {
	return map[Format]int64{Uint8: 1, Int8: 1, Uint16: 2, Int16: 2, Float16: 2, Uint32: 4, Int32: 4, Float32: 4}[f]
}

// SparseDesc describes a sparse array. Sizes are in texels.
type SparseDesc struct {
	Width, Height, Depth int64 // Depth is 0 for two dimensions; the number of layers if Layered
	Format               Format
	Channels             int // 1, 2 or 4
	Levels               int // of mipmaps; 0 and 1 are none
	Layered              bool
}

// SparseArray is a texture whose tiles have memory only where memory is bound. Tiles without memory read as 0 and ignore writes.
type SparseArray struct {
	device Device
	array  abi.Array // of level 0
	mipmap abi.Mipmap
	desc   SparseDesc
}

// NewSparseArray makes a texture with no memory. The device must have [SparseArraysSupported].
func (d Device) NewSparseArray(s SparseDesc) (SparseArray, error) {
	t, ctx, err := d.table()
	if err != nil {
		return SparseArray{}, err
	}
	if s.Width <= 0 || s.Height < 0 || s.Depth < 0 || s.Format.bytes() == 0 || s.Channels <= 0 || s.Channels > 4 || s.Levels < 0 || s.Levels > math.MaxInt32 {
		return SparseArray{}, refuse("Array3DCreate", d, 0, "sizes, format or channels are out of range")
	}
	desc := abi.ArrayDesc{
		Width: uint64(s.Width), Height: uint64(s.Height), Depth: uint64(s.Depth),
		Format: int32(s.Format), Channels: uint32(s.Channels), Layered: s.Layered,
	}
	if s.Levels <= 1 {
		a, r := t.ArrayCreateSparse(ctx, desc)
		return SparseArray{device: d, array: a, desc: s}, check(r, "Array3DCreate", d, 0)
	}
	m, r := t.MipmappedArrayCreateSparse(ctx, desc, uint32(s.Levels))
	if r != abi.Success {
		return SparseArray{}, failure(r, "MipmappedArrayCreate", d, 0, "")
	}
	a, r := t.MipmappedArrayGetLevel(ctx, m, 0)
	if r != abi.Success {
		t.MipmappedArrayDestroy(ctx, m)
	}
	return SparseArray{device: d, array: a, mipmap: m, desc: s}, check(r, "MipmappedArrayGetLevel", d, 0)
}

// TileShape is the shape of the parts to which memory can be bound. A tile always takes 64 KiB.
type TileShape struct {
	Width, Height, Depth int // texels
	TailLevel            int // the first level of the mip tail, which has no tiles
	TailSize             int64
	SingleTail           bool // one tail for all layers
}

// Tiles returns the shape of the array's tiles.
func (a SparseArray) Tiles() (TileShape, error) {
	t, ctx, err := a.device.table()
	if err != nil {
		return TileShape{}, err
	}
	p, r := abi.SparseProps{}, abi.Success
	if a.mipmap != 0 {
		p, r = t.MipmappedArrayGetSparseProperties(ctx, a.mipmap)
	} else {
		p, r = t.ArrayGetSparseProperties(ctx, a.array)
	}
	return TileShape{
		Width: int(p.TileWidth), Height: int(p.TileHeight), Depth: int(p.TileDepth),
		TailLevel: int(p.MipTailFirstLevel), TailSize: int64(p.MipTailSize), SingleTail: p.SingleMipTail,
	}, check(r, "ArrayGetSparseProperties", a.device, 0)
}

// Binding binds memory to a region of an array, or to its mip tail; without memory, it removes the binding.
type Binding struct {
	Memory               Memory // of MemoryProps.TilePool; the zero Memory removes the binding
	Offset               int64  // bytes into Memory
	Level, Layer         int
	X, Y, Z              int // texels, multiples of the tile
	Width, Height, Depth int // texels
	Tail                 bool
	TailOffset, TailSize int64 // instead of the region, if Tail
}

// fits reports whether the driver's struct has room for all numbers.
func (b Binding) fits() bool {
	for _, n := range []int{b.Level, b.Layer, b.X, b.Y, b.Z, b.Width, b.Height, b.Depth} {
		if uint64(n) > math.MaxUint32 {
			return false
		}
	}
	return b.Offset >= 0 && b.TailOffset >= 0 && b.TailSize >= 0
}

func (a SparseArray) binding(b Binding) abi.ArrayMap {
	m := abi.ArrayMap{
		Level: uint32(b.Level), Layer: uint32(b.Layer), X: uint32(b.X), Y: uint32(b.Y), Z: uint32(b.Z),
		Width: uint32(b.Width), Height: uint32(b.Height), Depth: uint32(b.Depth),
		Tail: b.Tail, TailOffset: uint64(b.TailOffset), TailSize: uint64(b.TailSize),
		Unmap: b.Memory == Memory{}, Memory: abi.Memory(b.Memory.handle), Offset: uint64(b.Offset),
		DeviceMask: 1 << uint(a.device),
	}
	if a.mipmap != 0 {
		m.Mipmap = a.mipmap
	} else {
		m.Array = a.array
	}
	return m
}

// Bind binds and unbinds regions in the order of the stream. Work of other streams that uses them must be ordered with it.
func (a SparseArray) Bind(s Stream, all ...Binding) error {
	const op = "MemMapArrayAsync"
	list := make([]abi.ArrayMap, len(all))
	for i, b := range all {
		if !b.fits() {
			return refuse(op, a.device, 0, "a number of the binding is out of range")
		}
		list[i] = a.binding(b)
	}
	t, ctx, h, err := s.table()
	if err != nil || len(list) == 0 {
		return err
	}
	return check(t.MemMapArrayAsync(ctx, list, h), op, s.device, 0)
}

// Close destroys the array, and not the memory bound to it.
func (a SparseArray) Close() error {
	t, ctx, err := a.device.table()
	if err != nil {
		return err
	}
	if a.mipmap != 0 {
		return check(t.MipmappedArrayDestroy(ctx, a.mipmap), "MipmappedArrayDestroy", a.device, 0)
	}
	return check(t.ArrayDestroy(ctx, a.array), "ArrayDestroy", a.device, 0)
}
