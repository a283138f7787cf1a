package heap

// The ways to choose among free ranges.
const (
	fitGood  = 0 // a range of the request's size class, or of the next larger class that has one
	fitFirst = 1 // the range with the lowest address
	fitBest  = 2 // the smallest range, among equals the one with the lowest address
)

// Parameters of a heap.
const (
	// granule is the unit of sizes in bytes and the alignment of every block: a power of two, at most 2 GiB. A chunk has at most 2^32-1 granules.
	//poolgen:param
	granule uint64 = 16

	// fit says which free range serves a request. Good fit takes the same few steps however many blocks are live, and wastes hardly more
	// than best fit. First and best fit search a tree of the free ranges.
	//poolgen:param
	fit = fitGood

	// minSplit is the size of the smallest rest in bytes, at most 2 GiB: a request that would leave less of a range gets all of it.
	//poolgen:param
	minSplit = 16

	// preferUsed: an empty chunk that is larger than the usual ones is kept for requests that take up most of it, as long as the pool can
	// grow. Chunks never merge, so one small block in a large chunk would make large requests fail.
	//poolgen:param
	preferUsed = false
)

const (
	goodFit = fit == fitGood

	// leastRest is minSplit in granules, at least one.
	leastRest = uint32(max(1, (minSplit+granule-1)/granule))

	// maxBytes is the size of the largest block: a size in granules is a uint32.
	maxBytes = (1<<32 - 1) * granule
)

// A block takes up less than granule+minSplit bytes more than was asked for, and that difference is kept in 32 bits.
// A negative constant does not compile: the first is the limit above, the second asks for a power of two.
const (
	_ = uint64(1<<32 - granule - minSplit)
	_ = uint64(0 - granule&(granule-1))
)
