package classes

import "math"

// Parameters of size classes. Those of the heap behind them apply as well.

// bins are the sizes of the classes in bytes, ascending. A request takes up the first class that is large enough. Classes that are far
// apart waste more of it; classes that are close together are reused less. Blocks of requests above the last class are not kept.
//
//poolgen:param
var bins = [...]uint64{
	512, 1 << 10, 2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10,
	1 << 20, 2 << 20, 4 << 20, 8 << 20, 16 << 20, 32 << 20, 64 << 20, 128 << 20, 256 << 20, 512 << 20, 1 << 30, 2 << 30,
}

const (
	// cachePerBin is the largest number of freed blocks that a class keeps: 0 for none, 2^32-1 or more for any number.
	//poolgen:param
	cachePerBin uint64 = math.MaxUint32

	// cacheBytes is the largest number of bytes of freed blocks that all classes together keep: 2^63-1 or more for any number. A freed
	// block beyond a bound goes back to the heap at once, where it merges and serves requests of any size.
	//poolgen:param
	cacheBytes uint64 = math.MaxInt64
)

// A class's number, and that of no class, fit a byte: with more than 255 bins, this does not compile.
const _ = uint8(len(bins))

// Whether the cache has these bounds.
const (
	boundedBins  = cachePerBin < math.MaxUint32
	boundedBytes = cacheBytes < math.MaxInt64
)
