package strict

// Parameters of the suballocator.
const (
	// blockSize is the difference between the addresses of neighbouring blocks: at least the size of the item,
	// rounded up to the alignment of the pool. With a power of two, the number of a block takes a shift, not a division.
	//poolgen:param
	blockSize uint64 = 64

	// itemBytes is the size of the item, at most blockSize.
	//poolgen:param
	itemBytes uint64 = 64

	// perWord is the number of blocks in a word of 64 bits: 32, or 16 where blocks can be pending, which takes a second bit for each.
	// It is a power of two, so that the word and the bit of a block take shifts.
	//poolgen:param
	perWord = 32
)

// This does not compile unless an item fits in its block, and a block has a size.
const _ = blockSize - max(itemBytes, 1)
