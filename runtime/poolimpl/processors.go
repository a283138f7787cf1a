package poolimpl

import (
	"math/bits"
	rt "runtime"
)

// Processors returns the number of processors, rounded up to a power of two, but at most most, which is one. All processors of the machine count, as
// GOMAXPROCS may grow later.
func Processors(most uint32) uint32 {
	n := max(rt.GOMAXPROCS(0), rt.NumCPU())
	return min(uint32(1)<<bits.Len32(uint32(n-1)), most)
}
