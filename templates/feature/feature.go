// Package feature has the parameters that several templates share. Each is a constant, whose value the specialiser replaces by that of the
// pool. Code that depends on a parameter is an ordinary if statement, and the specialiser removes the branch that the pool does not need.
package feature

// Parameters of a pool, whatever its suballocator.
const (
	// Locked: any goroutine may use the pool at any time. Without it, only one goroutine at a time may use the pool, and no lock is taken.
	//poolgen:param
	Locked = true

	// Sharded: the suballocator is safe for concurrent use, so the fast path does not take the pool's lock.
	//poolgen:param
	Sharded = false

	// Magazines: each processor keeps some free blocks, which others get only if the pool has no other free block. It excludes Trims: a chunk
	// with such blocks does not look empty.
	//poolgen:param
	Magazines = false

	// Owns: each processor owns the word of blocks that it allocates from, and changes it without atomic instructions. It excludes Magazines, Trims, Streams,
	// AllocsOn, ZeroAlways and Sampled.
	//poolgen:param
	Owns = false

	// Counters: the pool counts allocations and the peak of its bytes. Live blocks and bytes are always counted.
	//poolgen:param
	Counters = true

	// Trims: the pool returns empty chunks to the allocator by itself, so a free must notice that it emptied a chunk.
	//poolgen:param
	Trims = true

	// ZeroAlways: each allocation clears its block.
	//poolgen:param
	ZeroAlways = false

	// ZeroDevice: the device clears the block of each allocation, as Go code cannot address it.
	//poolgen:param
	ZeroDevice = false

	// Streams: blocks can be freed on a stream whose queued work still uses them. They are pending until the work is done.
	//poolgen:param
	Streams = false

	// AllocsOn: blocks can also be allocated on a stream, which can reuse the blocks freed on it at once.
	//poolgen:param
	AllocsOn = false

	// ByDriver: each block is allocated and freed by the driver, in the order of a stream.
	//poolgen:param
	ByDriver = false

	// Rounds: requests of several lengths may have the same blocks, also those that were freed on their stream.
	//poolgen:param
	Rounds = false

	// Shareable: other processes can import the pool and open its blocks.
	//poolgen:param
	Shareable = false

	// Finds: the pool finds the live block at an address.
	//poolgen:param
	Finds = false

	// Resizes: the pool finds the live block at an address, whose memory Go code can copy.
	//poolgen:param
	Resizes = false

	// Indexed: the pool numbers its blocks.
	//poolgen:param
	Indexed = false

	// Handles: each block has a generation, which its free raises.
	//poolgen:param
	Handles = false

	// Sampled: some blocks are sampled, each with a probability that its length decides.
	//poolgen:param
	Sampled = false

	// SampleBlock: the weight of a block on the way to the next sample, whatever its length. It is 0 if blocks are sampled by their bytes alone.
	//poolgen:param
	SampleBlock uint64 = 1

	// SampleByte: the weight of each byte of a block. It is 0 if blocks are sampled whatever their length.
	//poolgen:param
	SampleByte uint64 = 0

	// Sleeps: the pool can give its memory back for a while, and hands out nothing meanwhile.
	//poolgen:param
	Sleeps = false

	// Captures: blocks can be allocated and freed on streams that are being captured. Their memory belongs to the graph.
	//poolgen:param
	Captures = false
)
