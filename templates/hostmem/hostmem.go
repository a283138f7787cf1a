// Package hostmem turns the result of a suballocator, a chunk and an offset, into *Item and []Item in memory that the processor
// can address. A shell template (item, span) is linked with this or another package of memory.
package hostmem

import (
	"unsafe"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// Item is the element type of the pool.
//
//poolgen:type
type Item = [64]byte

// Ref is one block.
type Ref = *Item

// Span is a block of several items.
type Span = []Item

// Address is the address of a block, as a number.
type Address = uintptr

// ItemSize is the size of one item in bytes.
const ItemSize = uint64(unsafe.Sizeof(*(*Item)(nil)))

// MaxItems is the largest count of items in a block: an array type may have as many, and no address space has room for them.
const MaxItems = poolimpl.MaxBytes / ItemSize

// At returns the block at an offset of a chunk.
func At(e *poolimpl.Engine, slot uint32, off uint64) Ref {
	return (*Item)(e.At(slot, off))
}

// OnlyAt returns the block at an offset of the only chunk.
func OnlyAt(e *poolimpl.Engine, off uint64) Ref { return (*Item)(e.OnlyAt(off)) }

// SpanAt returns the block of length n at an offset of a chunk. Slicing an array of MaxItems needs no check if the caller has compared n with MaxItems.
// [unsafe.Slice] would check that the addresses do not wrap.
func SpanAt(e *poolimpl.Engine, slot uint32, off uint64, n int) Span {
	return (*[MaxItems]Item)(e.At(slot, off))[:n:n]
}

// Of returns a block that the engine allocated.
func Of(b poolimpl.Block) Ref { return (*Item)(b.Ptr) }

// SpanOf returns a block of items that the engine allocated.
func SpanOf(b poolimpl.Block) Span { return unsafe.Slice((*Item)(b.Ptr), b.Items) }

// Resized returns a block with another length, which it has room for.
// If [feature.ZeroAlways], items beyond the old length are zero.
func Resized(s Span, n int) Span {
	if feature.ZeroAlways {
		if n > len(s) {
			clear(unsafe.Slice(unsafe.SliceData(s), n)[len(s):])
		}
	}
	return unsafe.Slice(unsafe.SliceData(s), n)
}

// Addr returns the address of a block in the suballocator.
func Addr(r Ref) uint64 { return poolimpl.Addr(unsafe.Pointer(r)) }

// SpanAddr returns the address of a block of items in the suballocator.
func SpanAddr(s Span) uint64 { return poolimpl.Addr(unsafe.Pointer(unsafe.SliceData(s))) }

// Place returns the address of a block in memory.
func Place(r Ref) uint64 { return poolimpl.Place(unsafe.Pointer(r)) }

// SpanPlace returns the address of a block of items in memory.
func SpanPlace(s Span) uint64 { return poolimpl.Place(unsafe.Pointer(unsafe.SliceData(s))) }

// SpanBytes returns the length of a block of items in bytes.
func SpanBytes(s Span) uint64 { return uint64(len(s)) * ItemSize }

// Zero clears a block that was just taken. The caller is one of [poolimpl.Engine.Clear].
func Zero(e *poolimpl.Engine, r Ref) {
	if ItemSize <= poolimpl.ClearedLocked && e.Used(unsafe.Pointer(r), ItemSize) {
		clear(unsafe.Slice(r, 1)) // a slice: it may be of any type, and needs no zero value on the stack
		return
	}
	e.Clear(unsafe.Pointer(r), ItemSize)
}

// ZeroSpan clears a block of items that was just taken. The caller is one of [poolimpl.Engine.Clear].
func ZeroSpan(e *poolimpl.Engine, s Span) {
	p := unsafe.Pointer(unsafe.SliceData(s))
	if SpanBytes(s) <= poolimpl.ClearedLocked && e.Used(p, SpanBytes(s)) {
		clear(s)
		return
	}
	e.Clear(p, SpanBytes(s))
}
