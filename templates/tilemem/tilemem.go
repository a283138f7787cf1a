// Package tilemem turns the result of a suballocator, a chunk and an offset, into Tiles, several tiles for sparse textures in one physical
// memory. Tiles have no address: the pool numbers its bytes and uses the numbers as addresses. A shell template (item, span) is linked with
// this or another package of memory.
package tilemem

import (
	"math"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Tiles is several tiles of 64 KiB, one after the other in one physical memory. Regions of sparse arrays can be bound to them. Tiles is a small value
// that can be copied and compared. The zero value has no tiles.
type Tiles struct {
	memory uint64 // the driver's handle
	number uint64 // of the first byte in the pool
	first  int    // index of the first tile in the memory
	n      int    // number of tiles
}

// Handle returns the driver's handle of the physical memory (CUmemGenericAllocationHandle), for other bindings. The pool owns the handle, which
// must not be released.
func (t Tiles) Handle() uint64 { return t.memory }

// Memory returns the physical memory, which cuda.Binding takes together with Offset. The pool owns the memory: closing it is an error.
func (t Tiles) Memory() cuda.Memory { return cuda.BorrowMemory(t.memory) }

// First returns the index of the first tile in the physical memory.
func (t Tiles) First() int { return t.first }

// Offset returns the offset of the first tile in the physical memory, in bytes.
func (t Tiles) Offset() int64 { return int64(t.first) * tileBytes }

// Len returns the number of tiles.
func (t Tiles) Len() int { return t.n }

// Bytes returns the length in bytes.
func (t Tiles) Bytes() int64 { return int64(t.n) * tileBytes }

// Slice returns the tiles from i up to, not including, j. It panics if they are out of range, as slicing does. Only the whole block can be freed.
func (t Tiles) Slice(i, j int) Tiles {
	if uint(i) > uint(j) || uint(j) > uint(t.n) {
		panic("poolgen: slice bounds out of range")
	}
	return Tiles{memory: t.memory, number: t.number + uint64(i)*tileBytes, first: t.first + i, n: j - i}
}

// blockTiles is the number of tiles in an item.
//
//poolgen:param
const blockTiles = 1

// tileBytes is the size of a tile in bytes, the same for all texture formats.
const tileBytes = 64 << 10

// Ref is a block of one item.
type Ref = Tiles

// Span is a block of several items.
type Span = Tiles

// Address is the number of a block: tiles have no address.
type Address = uint64

// ItemSize is the size of one item in bytes.
const ItemSize = uint64(blockTiles * tileBytes)

// MaxItems is the largest count of items in a block: an int can express their bytes, and no device has room for them.
const MaxItems = (math.MaxInt/2 + 1) / ItemSize

// At returns the block at an offset of a chunk.
func At(e *poolimpl.Engine, slot uint32, off uint64) Ref {
	return Tiles{memory: e.Origin(slot), number: e.Addr(slot) + off, first: int(off / tileBytes), n: blockTiles}
}

// SpanAt returns the block of n tiles at an offset of a chunk.
func SpanAt(e *poolimpl.Engine, slot uint32, off uint64, n int) Span {
	return Tiles{memory: e.Origin(slot), number: e.Addr(slot) + off, first: int(off / tileBytes), n: n}
}

// Of returns a block that the engine allocated.
func Of(b poolimpl.Block) Ref { return SpanOf(b) }

// SpanOf returns a block of items that the engine allocated.
func SpanOf(b poolimpl.Block) Span {
	return Tiles{memory: b.Origin, number: b.Addr, first: int(b.Offset / tileBytes), n: b.Items * blockTiles}
}

// Addr returns the number of a block, and 0 for a part of a block: no block has this number.
func Addr(r Ref) uint64 {
	if r.n != blockTiles {
		return 0
	}
	return r.number
}

// SpanAddr returns the number of a block of tiles.
func SpanAddr(s Span) uint64 { return s.number }

// SpanBytes returns the length of a block of tiles in bytes.
func SpanBytes(s Span) uint64 { return uint64(s.n) * tileBytes }

// Place returns the number of a block, as tiles have no address.
func Place(r Ref) uint64 { return Addr(r) }

// SpanPlace returns the number of a block of tiles, as tiles have no address.
func SpanPlace(s Span) uint64 { return s.number }
