// Package peers runs loops over other allocators, in C: a call from Go costs more than most of what is measured. It needs cgo and Linux; elsewhere
// there are none. The libraries are looked for when the program runs, wherever the system's loader finds them, LD_LIBRARY_PATH included, and those
// that are not there are left out:
//
//	apt-get install libmimalloc2.0 libjemalloc2 libtcmalloc-minimal4
package peers

// Size is the size of the blocks of [Allocator.Pairs] and [Allocator.MovedPairs].
const Size = 64

// Worker runs about so many operations and returns how many it did.
type Worker func(n int) int

// Step is one operation of a churn: which block is replaced, and by what size.
type Step struct{ Slot, Size uint32 }
