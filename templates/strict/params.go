package strict

// Parameters of the suballocator.
const (
	// blockSize is the difference between the addresses of neighbouring blocks: at least the size of the item,
	// rounded up to the alignment of the pool. With a power of two, the number of a block takes a shift, not a division.
	//poolgen:param
	blockSize uint64 = 64

	// itemBytes is the size of the item, at most blockSize. Statistics count it for each block.
	//poolgen:param
	itemBytes uint64 = 64

	// perWord is the number of blocks in a word of 64 bits: 32, or 16 where blocks can be pending, which takes a second bit for each.
	// It is a power of two, so that the word and the bit of a block take shifts.
	//poolgen:param
	perWord = 32

	// magazineSize is the largest number of blocks in a magazine. They are of one word, so there are at most perWord.
	//poolgen:param
	magazineSize uint64 = 32

	// patience is the least number of blocks that a processor allocates one by one before magazines are used again.
	//poolgen:param
	patience uint32 = 1 << 16

	// maxHints is the number of hints. Each takes 128 bytes of the pool. On a machine with more processors, several share a hint. Where
	// blocks are allocated on streams, streams have as many.
	//poolgen:param
	maxHints = 64
)

// MaxBlocks is the largest number of blocks that one chunk may have: it keeps the numbers of words within 32 bits.
const MaxBlocks uint64 = 1<<32 - 2

// This does not compile unless an item fits in its block, a block has a size, and there is a hint.
const _ = blockSize - max(itemBytes, 1) + maxHints - 1
