// Package devmem turns what a suballocator hands out, a chunk and an offset, into what Go code uses of memory on a device: a
// typed address, Ptr, and a typed row of items, Span. They are numbers, which kernels and copies take; Go code cannot follow them.
// It is one of the memories that a shell template (item, span) is linked with.
package devmem

import (
	"math"
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

// Len returns how many items there are.
func (s Span) Len() int { return s.n }

// Bytes returns the length in bytes.
func (s Span) Bytes() int64 { return int64(s.n) * int64(ItemSize) }

// Addr returns the address for kernels, copies and other bindings.
func (s Span) Addr() cuda.DevicePtr { return cuda.DevicePtr(s.ptr) }

// Slice returns the items from i up to j. It panics if they are not in the block, as slicing does. Only the whole block can be freed.
func (s Span) Slice(i, j int) Span {
	if uint(i) > uint(j) || uint(j) > uint(s.n) {
		panic("poolgen: slice bounds out of range")
	}
	return Span{ptr: s.ptr + Ptr(uint64(i)*ItemSize), n: j - i}
}

// Ref is one block.
type Ref = Ptr

// ItemSize is the size of one item in bytes.
const ItemSize = uint64(unsafe.Sizeof(*(*Item)(nil)))

// MaxItems is the largest count of a block: more than there are addresses for, and no more than an int can express.
const MaxItems = min(math.MaxInt, 1<<48) / ItemSize

// At is the block at an offset of a chunk.
func At(e *poolimpl.Engine, slot uint32, off uint64) Ref {
	return Ptr((e.Addr(slot) + off) * Spacing)
}

// SpanAt is the block of n items at an offset of a chunk.
func SpanAt(e *poolimpl.Engine, slot uint32, off uint64, n int) Span {
	return Span{ptr: Ptr((e.Addr(slot) + off) * Spacing), n: n}
}

// Of is the block that the engine found.
func Of(b poolimpl.Block) Ref { return Ptr(b.Addr * Spacing) }

// SpanOf is the block of items that the engine found.
func SpanOf(b poolimpl.Block) Span { return Span{ptr: Ptr(b.Addr * Spacing), n: b.Items} }

// Addr is the address of a block in the suballocator.
func Addr(r Ref) uint64 { return uint64(r) / Spacing }

// SpanAddr is the address of a block of items in the suballocator.
func SpanAddr(s Span) uint64 { return uint64(s.ptr) / Spacing }

// Place is where a block is, as a number.
func Place(r Ref) uint64 { return uint64(r) }

// SpanPlace is where a block of items is, as a number.
func SpanPlace(s Span) uint64 { return uint64(s.ptr) }

// SpanBytes is the length of a block of items in bytes.
func SpanBytes(s Span) uint64 { return uint64(s.n) * ItemSize }
