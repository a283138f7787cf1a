package slabs

import "math/bits"

// Requests find their bin through cells: ranges of sizes, four to each doubling, that have the smallest bin of their smallest size. Bins that are no
// closer than cells are found in one step, others in a few.
const (
	mantissa  = 2
	cellCount = 1 << 8
)

var cells = layOut()

// cellOf returns the cell of requests of n+1 bytes: floating point with a short mantissa.
func cellOf(n uint64) uint64 {
	e := uint(bits.Len64(n|1<<mantissa)) - 1 - mantissa
	return (uint64(e)<<mantissa + n>>(e&63)) % cellCount
}

func layOut() (first [cellCount]uint16) {
	for n := range first {
		k := first[max(n, 1)-1]
		for int(k) < len(bins) && cellOf(bins[k]-1) < uint64(n) {
			k++
		}
		first[n] = k
	}
	return first
}

// binOf returns the bin of a request, len(bins) if it has none.
func binOf(bytes uint64) int {
	k := int(cells[cellOf(bytes-1)])
	for k < len(bins) && bins[k] < bytes {
		k++
	}
	return k
}

// blocksOf returns how many blocks a slab has that may be as large as reach: as many as fit into a power of two; 0 if it is not worth having.
func blocksOf(size, reach uint64) uint64 {
	n := min(max(page, uint64(1)<<bits.Len64(leastBlocks*size-1)), reach) / size
	if n < fewestBlocks || reach < page {
		return 0
	}
	return n
}

// reachOf returns how large slabs may be in a chunk.
func reachOf(size uint64) uint64 {
	if size < chunkParts {
		return 0
	}
	return 1 << (bits.Len64(size/chunkParts) - 1)
}

// recipBits is how many bits of a fraction a reciprocal has.
const recipBits = 31

// reciprocal returns what turns the distance of a block from its slab into its index, by a multiplication and a shift: 2^31 / size,
// rounded up. The product for block k is k*2^31 plus less than k*size, thus exact for slabs of up to 2^31 bytes. What is no
// multiple of size may come out as the next block; multiplying back tells.
func reciprocal(size uint64) uint32 { return uint32((1<<recipBits + size - 1) / size) }
