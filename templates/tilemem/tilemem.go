// Package tilemem turns what a suballocator hands out, a chunk and an offset, into tiles for sparse textures: Tiles, a row of them in one
// piece of physical memory. They have no address; the pool numbers its bytes and uses the numbers as addresses.
// It is one of the memories that a shell template (item, span) is linked with.
package tilemem

import (
	"math"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Tiles is a row of tiles of 64 KiB, one after the other in one piece of physical memory, for regions of sparse arrays to be bound to. It is a
// small value to be copied and compared; the zero value is no tiles.
type Tiles struct {
	memory uint64 // the driver's handle
	number uint64 // of the first byte in the pool
	first  int    // tile of the memory
	n      int
}

// Handle returns the driver's handle of the physical memory (CUmemGenericAllocationHandle), for other bindings. It is the pool's and
// must not be released.
func (t Tiles) Handle() uint64 { return t.memory }

// Memory returns the physical memory for cuda.Binding, together with Offset. It is the pool's: closing it is refused.
func (t Tiles) Memory() cuda.Memory { return cuda.BorrowMemory(t.memory) }

// First returns which tile of the memory the first one is.
func (t Tiles) First() int { return t.first }

// Offset returns where in the memory the first tile begins, in bytes.
func (t Tiles) Offset() int64 { return int64(t.first) * tileBytes }

// Len returns how many tiles there are.
func (t Tiles) Len() int { return t.n }

// Bytes returns the length in bytes.
func (t Tiles) Bytes() int64 { return int64(t.n) * tileBytes }

// Slice returns the tiles from i up to j. It panics if there are none such, as slicing does. Only the whole row can be freed.
func (t Tiles) Slice(i, j int) Tiles {
	if uint(i) > uint(j) || uint(j) > uint(t.n) {
		panic("poolgen: slice bounds out of range")
	}
	return Tiles{memory: t.memory, number: t.number + uint64(i)*tileBytes, first: t.first + i, n: j - i}
}

// blockTiles is how many tiles one item has.
//
//poolgen:param
const blockTiles = 1

// tileBytes is the size of a tile, the same in all formats.
const tileBytes = 64 << 10

// Ref is a block of one item.
type Ref = Tiles

// Span is a block of any number of tiles.
type Span = Tiles

// ItemSize is the size of one item in bytes.
const ItemSize = uint64(blockTiles * tileBytes)

// MaxItems is the largest count of a block: more than any device has, and no more than an int can express.
const MaxItems = min(math.MaxInt, 1<<62) / ItemSize

// At is the block at an offset of a chunk.
func At(e *poolimpl.Engine, slot uint32, off uint64) Ref {
	return Tiles{memory: e.Origin(slot), number: e.Addr(slot) + off, first: int(off / tileBytes), n: blockTiles}
}

// SpanAt is the block of n tiles at an offset of a chunk.
func SpanAt(e *poolimpl.Engine, slot uint32, off uint64, n int) Span {
	return Tiles{memory: e.Origin(slot), number: e.Addr(slot) + off, first: int(off / tileBytes), n: n}
}

// Of is the block that the engine found.
func Of(b poolimpl.Block) Ref { return SpanOf(b) }

// SpanOf is the block of items that the engine found.
func SpanOf(b poolimpl.Block) Span {
	return Tiles{memory: b.Origin, number: b.Addr, first: int(b.Offset / tileBytes), n: b.Items * blockTiles}
}

// Addr is the number of a block: 0, which is no block's, for a part of one.
func Addr(r Ref) uint64 {
	if r.n != blockTiles {
		return 0
	}
	return r.number
}

// SpanAddr is the number of a row of tiles.
func SpanAddr(s Span) uint64 { return s.number }

// SpanBytes is the length of a row of tiles in bytes.
func SpanBytes(s Span) uint64 { return uint64(s.n) * tileBytes }

// Place is the number of a block, too.
func Place(r Ref) uint64 { return Addr(r) }

// SpanPlace is the number of a row of tiles, too.
func SpanPlace(s Span) uint64 { return s.number }
