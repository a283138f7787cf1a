package compile

import (
	"fmt"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/facade"
	"github.com/poolgen/poolgen/spec"
)

// What depends on the size of a user's type is an expression that the Go compiler folds: generation never loads the type.

// itemSize is the size of an item as a Go expression.
func (p *pool) itemSize() string {
	switch {
	case p.Item.Kind == spec.ItemNumber:
		return "1"
	case p.Item.Kind == spec.ItemBytes && p.ItemForm():
		return decimal(p.BlockSize)
	case p.Sized():
		return decimal(p.Item.Size)
	default:
		return fmt.Sprintf("uint64(unsafe.Sizeof(*(*%s)(nil)))", p.itemExpr())
	}
}

// stride is the distance of neighbouring blocks of a fixed pool as a Go expression.
func (p *pool) stride() string {
	align := p.Alignment
	switch {
	case p.Item.Kind == spec.ItemNumber:
		return "1"
	case p.BlockSize > 0:
		return decimal(roundUp(p.BlockSize, max(align, 1)))
	case p.Sized():
		return decimal(roundUp(p.Item.Size, max(align, 1)))
	case align > 1:
		return fmt.Sprintf("(%s + %d) &^ %d", p.itemSize(), align-1, align-1)
	default:
		return p.itemSize()
	}
}

// knownStride is stride where it is known here; else 0.
func (p *pool) knownStride() int64 {
	n, err := strconv.ParseInt(p.stride(), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// single reports whether the pool can never hold two chunks: after the first, the limit leaves less than the allocator gives. A chunk of
// more blocks than an index tells apart is cut short, which leaves room for a second one.
func (p *pool) single() bool {
	return p.ItemForm() && p.Item.Kind != spec.ItemNumber &&
		p.Limit != spec.NoLimit && p.Limit-p.ChunkSize < p.Granularity &&
		p.ChunkSize/max(p.knownStride(), 1) <= maxBlocks
}

// maxIndex is the largest number of blocks that an index of 16 bits tells apart.
const maxIndex = 1<<16 - 3

// index is the type that numbers the blocks of a chunk.
func (p *pool) index() string {
	stride := max(p.knownStride(), 1)
	if p.Item.Kind != spec.ItemNumber && p.Growth != spec.GrowthDouble && p.ChunkSize/stride <= maxIndex && p.chunkKnown() {
		return "uint16"
	}
	return "uint32"
}

// maxChunk is the largest chunk that the suballocator can number, nil where chunks cannot become that large.
func (p *pool) maxChunk() jen.Code {
	numbers := p.Item.Kind == spec.ItemNumber
	grows := numbers || p.Growth == spec.GrowthDouble || p.ChunkSize > maxBlocks
	switch {
	case !grows:
		return nil
	case p.Suballocator == spec.Fixed && p.knownStride() == 0:
		return jen.Id(fmt.Sprintf("%d * min(int64(%s), 1<<31)", int64(maxBlocks), p.StrideConst))
	case p.Suballocator == spec.Fixed:
		return facade.Size(maxBlocks * min(p.knownStride(), 1<<31))
	case p.Suballocator == spec.Ring || p.Suballocator == spec.Bump || p.Suballocator == spec.NoSuballocator:
		return nil
	default:
		return facade.Size(roundDown((1<<32-1)*p.Granule(), p.Granularity))
	}
}

// maxBlocks is how many blocks of one chunk an index of 32 bits tells apart.
const maxBlocks = 1<<32 - 3

// chunkKnown reports whether the chunk size is a number here. It is not where one block of a user's type decides.
func (p *pool) chunkKnown() bool {
	return p.ChunkSet || !p.ItemForm() || p.knownStride() > 0
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

func roundUp(n, unit int64) int64 { return (n + unit - 1) / unit * unit }

func roundDown(n, unit int64) int64 { return n / unit * unit }
