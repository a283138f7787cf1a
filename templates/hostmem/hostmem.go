// Package hostmem turns what a suballocator hands out, a chunk and an offset, into what Go code uses: *Item and []Item in memory
// that the processor can address. It is one of the memories that a shell template (item, span) is linked with.
package hostmem

import (
	"math"
	"unsafe"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Item is the element type of the pool.
//
//poolgen:type
type Item = [64]byte

// Ref is one block.
type Ref = *Item

// Span is a block of several items.
type Span = []Item

// ItemSize is the size of one item in bytes.
const ItemSize = uint64(unsafe.Sizeof(*(*Item)(nil)))

// MaxItems is the largest count of a block: more than there are addresses for, and no more than an array type may have.
const MaxItems = min(math.MaxInt, 1<<48) / ItemSize

// At is the block at an offset of a chunk.
func At(e *poolimpl.Engine, slot uint32, off uint64) Ref {
	return (*Item)(e.At(slot, off))
}

// SpanAt is the block of n items at an offset of a chunk. To slice an array of the largest count takes no check where n was held
// against that before, while [unsafe.Slice] would check that the addresses do not go round.
func SpanAt(e *poolimpl.Engine, slot uint32, off uint64, n int) Span {
	return (*[MaxItems]Item)(e.At(slot, off))[:n:n]
}

// Of is the block that the engine found.
func Of(b poolimpl.Block) Ref { return (*Item)(b.Ptr) }

// SpanOf is the block of items that the engine found.
func SpanOf(b poolimpl.Block) Span { return unsafe.Slice((*Item)(b.Ptr), b.Items) }

// Addr is the address of a block in the suballocator.
func Addr(r Ref) uint64 { return poolimpl.Addr(unsafe.Pointer(r)) }

// SpanAddr is the address of a block of items in the suballocator.
func SpanAddr(s Span) uint64 { return poolimpl.Addr(unsafe.Pointer(unsafe.SliceData(s))) }

// Place is where a block is, as a number.
func Place(r Ref) uint64 { return poolimpl.Place(unsafe.Pointer(r)) }

// SpanPlace is where a block of items is, as a number.
func SpanPlace(s Span) uint64 { return poolimpl.Place(unsafe.Pointer(unsafe.SliceData(s))) }

// SpanBytes is the length of a block of items in bytes.
func SpanBytes(s Span) uint64 { return uint64(len(s)) * ItemSize }

// Zero clears a block. The detour over a slice serves any type, and makes no copy of a large zero value on the stack.
func Zero(r Ref) { clear(unsafe.Slice(r, 1)) }

// ZeroSpan clears a block of items.
func ZeroSpan(s Span) { clear(s) }
