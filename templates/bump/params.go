package bump

// granule is the alignment of every block in bytes, and what its length is rounded up to: a power of two.
//
//poolgen:param
const granule uint64 = 16

// Unit is the alignment of every block, and what its length is rounded up to.
const Unit = granule

// marks: blocks can also be given back down to a mark, which only makes sense where one goroutine at a time allocates.
//
//poolgen:param
const marks = true

// stripped: blocks are strips of chunks, which many goroutines take the pool's blocks from.
//
//poolgen:param
const stripped = true

// A granule that is no power of two does not compile: its constant is negative.
const _ = uint64(0 - granule&(granule-1))
