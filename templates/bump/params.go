package bump

// granule is the alignment of every block in bytes, a power of two. Lengths are rounded up to a multiple of it.
//
//poolgen:param
const granule uint64 = 16

// Unit is the alignment of every block in bytes, a power of two. Lengths are rounded up to a multiple of it.
const Unit = granule

// marks: Release frees all blocks since a mark, which makes sense only if one goroutine at a time allocates.
//
//poolgen:param
const marks = true

// stripped: blocks are strips, and many goroutines allocate the pool's blocks from them.
//
//poolgen:param
const stripped = true

// This does not compile unless the granule is a power of two: the constant would be negative.
const _ = uint64(0 - granule&(granule-1))
