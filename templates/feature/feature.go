// Package feature holds the parameters that several templates share. Each is a constant that the
// specialiser binds to the value a pool asks for; code that depends on one is an ordinary if statement,
// and the specialiser removes the branch that the pool does not need.
package feature

// Parameters of a pool, whatever its suballocator.
const (
	// Locked: the pool has a lock, so that any goroutine may call it at any time. Off, one goroutine at a time
	// may use the pool, and nothing is paid for a lock.
	//poolgen:param
	Locked = true

	// Sharded: goroutines do not take the pool's lock on the fast path, as its suballocator orders their calls by itself.
	//poolgen:param
	Sharded = false

	// Magazines: each processor keeps some free blocks, which others get only when the pool has no other free block. Not with Trims: a chunk
	// with such blocks does not look empty.
	//poolgen:param
	Magazines = false

	// Counters: the pool counts allocations and its peak. Live blocks and bytes are counted always.
	//poolgen:param
	Counters = true

	// Trims: the pool gives empty chunks back by itself, so a free must notice that it emptied a chunk.
	//poolgen:param
	Trims = true

	// ZeroAlways: every block is zeroed when it is handed out.
	//poolgen:param
	ZeroAlways = false

	// ZeroDevice: likewise, by the device, as Go code cannot address the blocks.
	//poolgen:param
	ZeroDevice = false

	// Streams: blocks can be freed on a stream, whose work may not be done with them yet. They are pending until it is.
	//poolgen:param
	Streams = false

	// AllocsOn: blocks can be allocated on a stream, too, and then those that it freed come back to it at once.
	//poolgen:param
	AllocsOn = false

	// Shareable: blocks can be described to other processes, which import the pool and open them there.
	//poolgen:param
	Shareable = false

	// Pages: the pool's addresses are reserved at once, and memory comes to them and goes by pages.
	//poolgen:param
	Pages = false
)
