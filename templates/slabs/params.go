package slabs

const (
	// maxProcCaches is the number of procCaches. If there are more processors, some share one.
	//poolgen:param
	maxProcCaches = 64

	// page: slabs start at a multiple of page bytes, and no page has blocks of two slabs. It is also the largest alignment that a bin can
	// guarantee.
	page = 16 << 10

	// leastBlocks, a power of two, is the least number of blocks of a slab, which also has at least a page. With more blocks, new slabs are
	// rarer, but more memory lies in slabs.
	//poolgen:param
	leastBlocks = 16

	// crowds: a pool may be crowded, see [room]. That takes half the memory where blocks have many sizes, and processors share slabs at times. Other pools only
	// replace slabs without a live block, see [Core.replaceEmpty].
	//poolgen:param
	crowds = true

	// A slab is at most one part in chunkParts of the largest chunk, even if it has fewer than leastBlocks. There are none of fewer than fewestBlocks.
	fewestBlocks = 4
	chunkParts   = 16
)

// bins are the sizes in bytes that requests are rounded up to: ascending, each a multiple of the alignment of the pool. Larger requests go
// to the suballocator behind, and so do those of bins that the largest chunk is too small for.
//
//poolgen:param
var bins = [...]uint64{
	16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 640, 768, 896, 1024, 1280, 1536, 1792, 2048, 2560, 3072, 3584, 4096,
	5120, 6144, 7168, 8192, 10240, 12288, 14336, 16384, 20480, 24576, 28672, 32768, 40960, 49152, 57344, 65536,
}
