package binned

// bins are the sizes in bytes that small requests are rounded up to: ascending, at most 255, each a multiple of the alignment of the pool,
// so that blocks are aligned. More bins waste less of a block, but spread the blocks over more slabs. Blocks of a bin that is a multiple of
// 64, say, lie at multiples of 64. The heap serves requests above the largest bin, those more than 32 KiB below their bin, and those of
// bins for which the largest chunk is smaller than 64 blocks. Chunks of less than 64 KiB have no slabs.
//
//poolgen:param
var bins = [...]uint64{16, 32, 64, 128, 256, 512, 1024, 2048, 4096}

// page: slabs start at a multiple of page bytes. It is also the largest alignment that a bin can guarantee.
const page = 4096

// Large slabs are faster, as they are taken and given back less often; small ones leave more memory to other bins. The size of a slab is
// the power of two from leastSlab up that holds leastBlocks, but at most one part in chunkParts of the largest chunk. There are no slabs of
// fewer than fewestBlocks.
const (
	leastSlab    = page
	leastBlocks  = 8
	fewestBlocks = 4
	chunkParts   = 16
	largestSlab  = 1 << recipBits
)

// A bin keeps up to depth blocks ready, but at most readyBytes of large ones, and two in any case.
const (
	depth      = 16
	readyBytes = 64 << 10
)

// A bin's number fits a byte: without bins, or with more than 256, this does not compile.
const _ = uint8(len(bins) - 1)
