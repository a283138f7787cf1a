package fixed

// Parameters of the suballocator.
const (
	// blockSize is the distance of neighbouring blocks in bytes, 1 for numbered resources.
	//poolgen:param
	blockSize uint64 = 64

	// itemBytes is what a block counts for in the statistics.
	//poolgen:param
	itemBytes uint64 = 64

	// single: the pool never holds more than one chunk at a time, so blocks need no search for their chunk.
	//poolgen:param
	single = false
)

// index numbers the blocks of one chunk. Its width is what a block costs in metadata; uint16 halves
// it and serves chunks of up to 65533 blocks.
//
//poolgen:type
type index = uint32

const (
	used    = ^index(0) // entry of a live block; that of a free one is the index of the next
	none    = used - 1  // end of a list of free blocks
	pending = none - 1  // entry of a pending block, and the largest number of blocks of a chunk
)

// An item must fit in its block, and a block must have a size.
const _ = blockSize - max(itemBytes, 1)
