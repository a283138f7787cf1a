package fixed

// Parameters of the suballocator.
const (
	// blockSize is the difference between the addresses of neighbouring blocks.
	//poolgen:param
	blockSize uint64 = 64

	// itemBytes is the size of a block in the statistics.
	//poolgen:param
	itemBytes uint64 = 64

	// single: the pool has at most one chunk at a time, so a free needs no search for the chunk.
	//poolgen:param
	single = false

	// joins: while blocks are replaced, one array has the entries of all chunks. It excludes single, streams, and an index of 16 bits.
	//poolgen:param
	joins = true
)

// index is the number of a block in its chunk. Its width is what a block costs in metadata; uint16 halves that, and is for chunks of up to
// 65533 blocks.
//
//poolgen:type
type index = uint32

// An item must fit in its block, and a block must have a size.
const _ = blockSize - max(itemBytes, 1)
