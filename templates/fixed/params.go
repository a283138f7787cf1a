package fixed

// Parameters of the suballocator.
const (
	// blockSize is the distance of neighbouring blocks in bytes (1 for numbered resources): the item, rounded up to
	// the alignment of the pool, or more. A power of two makes the index of a block a shift instead of a multiplication.
	//poolgen:param
	blockSize uint64 = 64

	// itemBytes is what one block counts for in the statistics: the size of the item, at most blockSize.
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
	// used marks a block that is handed out, where a free one has the index of the next free one.
	used = ^index(0)
	// none ends a list of free blocks.
	none = used - 1
	// pending is the entry of a block that is pending: no list leads to it, and as it is not the mark of a live block, a free of it is refused
	// as of any block that is free.
	pending = none - 1
)

// MaxBlocks is the largest number of blocks that one chunk may have: three indices are taken.
const MaxBlocks = uint64(pending)

// minEntries is how many entries the side array of a chunk has at first.
const minEntries uint64 = 64

// An item must fit in its block, and a block must have a size.
const _ = blockSize - max(itemBytes, 1)
