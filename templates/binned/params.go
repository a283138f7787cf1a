package binned

// bins are the sizes in bytes that small requests are rounded up to: ascending, at most 255, each a multiple of the
// pool's alignment, so that its blocks are aligned. More bins waste less of a block, but spread the blocks over more slabs.
// A block of a bin that is a multiple of 64, say, lies at a multiple of 64. Left to the heap are requests above the largest bin,
// those more than 32 KiB below their bin, and those of bins that the largest chunk would not hold 64 blocks of. Chunks of 64 KiB are
// the smallest in which bins come into play.
//
//poolgen:param
var bins = [...]uint64{16, 32, 64, 128, 256, 512, 1024, 2048, 4096}

// A slab starts at a multiple of page, and no two have a page in common: an address leads to its slab by way of its page.
// It is also the largest alignment that a bin can guarantee.
const page = 4096

// The size of a slab is a trade of speed for utilisation: large ones are taken and given back less often, small ones leave less
// memory to bins that need little. It is the power of two from leastSlab up that holds leastBlocks, but not more than one part
// in chunkParts of the largest chunk; a slab of fewer than fewestBlocks is not worth having.
const (
	leastSlab    = page
	leastBlocks  = 8
	fewestBlocks = 4
	chunkParts   = 16
	largestSlab  = 1 << recipBits
)

// A bin has up to depth blocks ready, but no more than readyBytes of large ones; two at least.
const (
	depth      = 16
	readyBytes = 64 << 10
)

// A bin's number fits a byte: without bins, or with more than 256, this does not compile.
const _ = uint8(len(bins) - 1)
