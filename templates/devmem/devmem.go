// Package devmem turns the result of a suballocator, a chunk and an offset, into Ptr, a typed address of memory on a device, and Span, a
// typed block of items. They are numbers for kernels and copies. Go code cannot read the memory. A shell template (item, span) is linked with this or
// another package of memory.
package devmem

import (
	"unsafe"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Item is the element type of the pool.
//
//poolgen:type
type Item = [64]byte

// Ptr is the address of one item on the device. Addresses of different pools are different types.
type Ptr uint64

// Addr returns the address for kernels, copies and other bindings.
func (p Ptr) Addr() cuda.DevicePtr { return cuda.DevicePtr(p) }

// Span is a block of items on the device.
type Span struct {
	ptr Ptr
	n   int
}

// Ptr returns the address of the first item.
func (s Span) Ptr() Ptr { return s.ptr }

// Len returns the number of items.
func (s Span) Len() int { return s.n }

// Bytes returns the length in bytes.
func (s Span) Bytes() int64 { return int64(s.n) * int64(ItemSize) }

// Addr returns the address for kernels, copies and other bindings.
func (s Span) Addr() cuda.DevicePtr { return cuda.DevicePtr(s.ptr) }

// Slice returns the items from i up to, not including, j. It panics if they are out of range, as slicing does. Only the whole block can be freed.
func (s Span) Slice(i, j int) Span {
	if uint(i) > uint(j) || uint(j) > uint(s.n) {
		panic("poolgen: slice bounds out of range")
	}
	return Span{ptr: s.ptr + Ptr(uint64(i)*ItemSize), n: j - i}
}

// Ref is one block.
type Ref = Ptr

// Address is the address of a block.
type Address = cuda.DevicePtr

// ItemSize is the size of one item in bytes.
const ItemSize = uint64(unsafe.Sizeof(*(*Item)(nil)))

// MaxItems is the largest count of items in a block: an int can express it, and no address space has room for them.
const MaxItems = poolimpl.MaxBytes / ItemSize

// At returns the block at an offset of a chunk.
func At(e *poolimpl.Engine, slot uint32, off uint64) Ref {
	return Ptr((e.Addr(slot) + off) * Spacing)
}

// OnlyAt returns the block at an offset of the only chunk.
func OnlyAt(e *poolimpl.Engine, off uint64) Ref { return Ptr((e.OnlyAddr() + off) * Spacing) }

// SpanAt returns the block of length n at an offset of a chunk.
func SpanAt(e *poolimpl.Engine, slot uint32, off uint64, n int) Span {
	return Span{ptr: Ptr((e.Addr(slot) + off) * Spacing), n: n}
}

// Of returns a block that the engine allocated.
func Of(b poolimpl.Block) Ref { return Ptr(b.Addr * Spacing) }

// SpanOf returns a block of items that the engine allocated.
func SpanOf(b poolimpl.Block) Span { return Span{ptr: Ptr(b.Addr * Spacing), n: b.Items} }

// Addr returns the address of a block in the suballocator.
func Addr(r Ref) uint64 { return uint64(r) / Spacing }

// SpanAddr returns the address of a block of items in the suballocator.
func SpanAddr(s Span) uint64 { return uint64(s.ptr) / Spacing }

// Place returns the address of a block on the device.
func Place(r Ref) uint64 { return uint64(r) }

// SpanPlace returns the address of a block of items on the device.
func SpanPlace(s Span) uint64 { return uint64(s.ptr) }

// SpanBytes returns the length of a block of items in bytes.
func SpanBytes(s Span) uint64 { return uint64(s.n) * ItemSize }
