package slabs

const (
	// maxDesks is how many processors have slabs of their own to start at. Where there are more, two or more of them share.
	//poolgen:param
	maxDesks = 64

	// page is what slabs start at a multiple of; no two have one in common. It is also the largest alignment that a bin can guarantee.
	page = 16 << 10

	// A slab has leastBlocks blocks, or as many as there are in a page, whichever is more; but it is not larger than one part in
	// chunkParts of the largest chunk. One of fewer than fewestBlocks is not worth having.
	leastBlocks  = 16
	fewestBlocks = 4
	chunkParts   = 16
)

// bins are the sizes in bytes that requests are rounded up to: ascending, each a multiple of the pool's alignment. Larger requests go to the
// suballocator behind, and so do those of bins that the largest chunk is too small for.
//
//poolgen:param
var bins = [...]uint64{16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536}
