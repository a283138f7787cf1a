package slabs

import "math/bits"

// octaves holds, for each k, the first bin of more than 2^(k-1) bytes: where the search for a request of up to 2^k bytes starts.
var octaves = firstOfOctave()

func firstOfOctave() (first [65]uint16) {
	for k := 1; k < len(first); k++ {
		i := first[k-1]
		for int(i) < len(bins) && bins[i] <= 1<<(k-1) {
			i++
		}
		first[k] = i
	}
	return first
}

// binOf returns the bin of a request, len(bins) if it has none.
func binOf(bytes uint64) int {
	k := int(octaves[bits.Len64(bytes-1)])
	for k < len(bins) && bins[k] < bytes {
		k++
	}
	return k
}

// roomOf returns how large a slab is, a power of two, where it may be as large as reach; 0 if it is not worth having.
func roomOf(size, reach uint64) uint64 {
	room := min(max(page, uint64(1)<<bits.Len64(leastBlocks*size-1)), reach)
	if room < max(fewestBlocks*size, page) {
		return 0
	}
	return room
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
