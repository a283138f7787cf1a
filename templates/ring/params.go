package ring

// Parameters of a ring.
const (
	// granule is the alignment of every block in bytes, a power of two. Lengths are rounded up to a multiple of it.
	//poolgen:param
	granule uint64 = 16

	// arenaSize is the size in bytes of the arenas that chunks are cut into, and so of the largest block: a multiple of the granule. A
	// block that lives long keeps the space behind it in its arena from being used again, so small arenas lose less. Large ones take
	// larger blocks, and last longer until another arena becomes the current one.
	//poolgen:param
	arenaSize uint64 = 1 << 20
)

// These do not compile, as they are negative, unless the granule is a power of two and an arena has at least one.
const (
	_ = uint64(0 - granule&(granule-1))
	_ = arenaSize - granule
)
