package slabs

import "github.com/poolgen/poolgen/runtime/poolimpl/cores/shards"

// Params are the parameters of slabs. The configuration of the pool has them.
type Params struct {
	Shards shards.Params // of the suballocator behind

	// Bins are the sizes in bytes that requests are rounded up to: ascending, each a multiple of the alignment of the pool, and at most 64 KiB. Larger
	// requests go to the suballocator behind, and so do those of bins that the largest chunk is too small for.
	Bins []uint64

	// LeastBlocks, a power of two, is the least number of blocks of a slab, which also has at least a page. With more blocks, new slabs are
	// rarer, but more memory lies in slabs.
	LeastBlocks uint64

	// Crowds: a pool may be crowded, see [room]. That takes half the memory where blocks have many sizes, and processors share slabs at times. Other pools only
	// replace slabs without a live block, see [Core.replaceEmpty].
	Crowds bool

	Counters bool // allocations are counted
	AllocsOn bool // blocks can be allocated on a stream
}

const (
	// page: slabs start at a multiple of page bytes, and no page has blocks of two slabs. It is also the largest alignment that a bin can
	// guarantee.
	page = 16 << 10

	// A pageMap that becomes longer has room for morePages more, at least. Chunks are not far from each other if at least half of the pages from the first to
	// the last, less nearPages, are theirs.
	morePages = 64
	nearPages = 8 << 10

	// A slab is at most one part in chunkParts of the largest chunk, even if it has fewer than Params.LeastBlocks. There are none of fewer than fewestBlocks.
	fewestBlocks = 4
	chunkParts   = 16

	// maxProcCaches is the largest number of procCaches. If there are more processors, some share one.
	maxProcCaches = 64
)
