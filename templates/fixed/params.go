package fixed

// Parameters of the suballocator.
const (
	// blockSize is the difference between the addresses of neighbouring blocks.
	//poolgen:param
	blockSize uint64 = 64

	// itemBytes is the size of a block in the statistics.
	//poolgen:param
	itemBytes uint64 = 64
)

// An item must fit in its block, and a block must have a size.
const _ = blockSize - itemBytes + blockSize - 1
