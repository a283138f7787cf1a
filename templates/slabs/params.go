package slabs

const (
	// maxProcCaches is how many processors have slabs of their own to start at. Where there are more, two or more of them share.
	//poolgen:param
	maxProcCaches = 64

	// page is what slabs start at a multiple of; no two have one in common. It is also the largest alignment that a bin can guarantee.
	page = 16 << 10

	// leastBlocks is how many blocks a slab has, or as many as there are in a page, whichever is more: the more, the less often the next slab
	// has its turn, and the more memory lies in slabs. It is a power of two.
	//poolgen:param
	leastBlocks = 16

	// A slab is not larger than one part in chunkParts of the largest chunk. One of fewer than fewestBlocks is not worth having.
	fewestBlocks = 4
	chunkParts   = 16
)

// bins are the sizes in bytes that requests are rounded up to: ascending, each a multiple of the pool's alignment. Larger requests go to the
// suballocator behind, and so do those of bins that the largest chunk is too small for.
//
//poolgen:param
var bins = [...]uint64{
	16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 640, 768, 896, 1024, 1280, 1536, 1792, 2048, 2560, 3072, 3584, 4096,
	5120, 6144, 7168, 8192, 10240, 12288, 14336, 16384, 20480, 24576, 28672, 32768, 40960, 49152, 57344, 65536,
}
