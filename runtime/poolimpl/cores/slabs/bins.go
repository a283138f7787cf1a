package slabs

import (
	"math"
	"math/bits"
)

// Requests find their bin through cells: ranges of sizes, four to each doubling. A cell has the smallest bin of its smallest size. If bins
// are no closer than cells, a request finds its bin in at most one step from there, otherwise in a few.
const (
	mantissa  = 2
	cellCount = 1 << 8
)

// cellOf returns the cell of requests of n+1 bytes: n as a floating-point number with a short mantissa.
func cellOf(n uint64) uint64 {
	e := uint(bits.Len64(n|1<<mantissa)) - 1 - mantissa
	return (uint64(e)<<mantissa + n>>(e&63)) % cellCount
}

// layOut returns the smallest bin of each cell.
func layOut(bins []uint64) (first [cellCount]uint16) {
	for n := range first {
		k := first[max(n, 1)-1]
		for int(k) < len(bins) && cellOf(bins[k]-1) < uint64(n) {
			k++
		}
		first[n] = k
	}
	return first
}

// binOf returns the bin of a request, len(c.bins) if no bin is large enough.
func (c *Core) binOf(bytes uint64) int {
	k := int(c.cells[cellOf(bytes-1)])
	for k < len(c.bins) && c.bins[k] < bytes {
		k++
	}
	return k
}

// blocksOf returns how many blocks a slab of up to reach bytes has: as many as fit into a power of two; 0 if the slab would have too few.
func (c *Core) blocksOf(size, reach uint64) uint64 {
	n := min(max(page, uint64(1)<<bits.Len64(c.params.LeastBlocks*size-1)), reach) / size
	if n < fewestBlocks || reach < page {
		return 0
	}
	return n
}

// mostLines returns the largest number of lines of a slab of a bin.
func (c *Core) mostLines(b int) uint64 { return linesOf(c.blocksOf(c.bins[b], math.MaxUint64)) }

// reachOf returns the largest size of slabs for a chunk of size bytes, a power of two.
func reachOf(size uint64) uint64 {
	if size < chunkParts {
		return 0
	}
	return 1 << (bits.Len64(size/chunkParts) - 1)
}

// recipBits is the number of fraction bits of a reciprocal.
const recipBits = 31

// reciprocal returns 2^31 / size, rounded up: a multiplication by it and a shift turn the distance of a block from the start of its slab
// into the index of the block. The product for block k is k*2^31 plus less than k*size, so the index is exact in slabs of up to 2^31 bytes.
// A distance that is no multiple of size may give the index of the next block, which multiplying back detects. For the size of a line's blocks,
// the distance of a block gives its line, in slabs of up to 2^31 / perLine bytes. (Granlund and Montgomery, Division by Invariant Integers using
// Multiplication, 1994.)
func reciprocal(size uint64) uint32 { return uint32((1<<recipBits + size - 1) / size) }
