package binned

import "github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"

// Params are the parameters of bins and of the heap behind them. The configuration of the pool has them.
type Params struct {
	heap.Params

	// Bins are the sizes in bytes that small requests are rounded up to: ascending, from 1 to 256 of them, each a multiple of the granule,
	// so that blocks are aligned. More bins waste less of a block, but spread the blocks over more slabs. Blocks of a bin that is a multiple of
	// 64, say, lie at multiples of 64. The heap serves requests above the largest bin, those more than 32 KiB below their bin, and those of
	// bins for which the largest chunk is smaller than 64 blocks. Chunks of less than 64 KiB have no slabs.
	Bins []uint64
}

// Set implements [poolimpl.ParamCore].
func (c *Core) Set(params any) {
	p := params.(*Params)
	if n := len(p.Bins); n == 0 || n > 256 {
		panic("poolgen: no bins, or more than a byte can number")
	}
	c.Space.Set(p.Params)
	c.bins = p.Bins
}

// Close drops the chunks.
func (c *Core) Close() {
	*c = Core{Core: c.Core, bins: c.bins}
	c.Core.Close()
}

// page: slabs start at a multiple of page bytes. It is also the largest alignment that a bin can guarantee.
const page = 4096

// Large slabs are faster, as they are taken and given back less often; small ones leave more memory to other bins. The size of a slab is
// the power of two that holds leastBlocks, and at least usualSlab, but at most one part in chunkParts of the largest chunk. Where the first chunk is too small for
// usualSlab, leastSlab takes its place at worst. There are no slabs of fewer than fewestBlocks.
const (
	leastSlab    = page
	usualSlab    = 4 * page // 2.5 bytes of metadata for each block of 80; 3.8 in slabs of a page
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
