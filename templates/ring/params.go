package ring

// Parameters of a ring.
const (
	// granule is the alignment of every block in bytes, and what its length is rounded up to: a power of two.
	//poolgen:param
	granule uint64 = 16

	// arenaSize is the size in bytes of the rings that chunks are cut into, and so of the largest block: a multiple of
	// granule. One block that is kept for long holds up the space behind it in its own ring only, so
	// smaller rings suffer less from it; larger ones take larger blocks and are changed less often.
	//poolgen:param
	arenaSize uint64 = 1 << 20
)

// A granule that is no power of two does not compile, as its constant is negative; nor does an empty arena.
const (
	_ = uint64(0 - granule&(granule-1))
	_ = arenaSize - granule
)
