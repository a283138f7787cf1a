package strict

// Parameters of the suballocator.
const (
	// blockSize is the distance of neighbouring blocks in bytes (1 for numbered resources): the item, rounded up to
	// the alignment of the pool, or more. A power of two makes the index of a block a shift instead of a multiplication.
	//poolgen:param
	blockSize uint64 = 64

	// itemBytes is what one block counts for in the statistics: the size of the item, at most blockSize.
	//poolgen:param
	itemBytes uint64 = 64

	// perWord is how many blocks a word of 64 bits keeps account of: 32, or 16 where blocks can be pending, which takes a second bit. A power of two
	// makes the word and the bit of a block shifts.
	//poolgen:param
	perWord = 32

	// magazineSize is the largest number of blocks in a magazine. They are of one word, so there are never more than perWord.
	//poolgen:param
	magazineSize uint64 = 32

	// patience is how many blocks a processor takes one by one, at least, before there are magazines again.
	//poolgen:param
	patience uint32 = 1 << 16

	// maxHints is how many processors have a place of their own to start at; it costs 128 bytes each in the pool. Where there are more, two or more
	// of them share one.
	//poolgen:param
	maxHints = 64
)

// MaxBlocks is the largest number of blocks that one chunk may have: it keeps the numbers of words within 32 bits.
const MaxBlocks uint64 = 1<<32 - 2

// An item must fit in its block, a block must have a size, and there must be a place to start at.
const _ = blockSize - max(itemBytes, 1) + maxHints - 1
