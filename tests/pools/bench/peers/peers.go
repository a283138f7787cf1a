// Package peers runs loops over other allocators, in C, because a call from Go costs more than most of their functions. It needs cgo and Linux; elsewhere
// there are no other allocators. The libraries are loaded when the program runs, by the rules of the system's loader, including LD_LIBRARY_PATH. Those
// that are not installed are left out:
//
//	apt-get install libmimalloc2.0 libjemalloc2 libtcmalloc-minimal4
//
// Those that Debian does not package are shared libraries of their own builds: libmimalloc.so.3 and libsnmallocshim.so.
package peers

// Size is the size of the blocks of [Allocator.Pairs] and [Allocator.MovedPairs].
const Size = 64

// Worker runs about n operations and returns how many it ran.
type Worker func(n int) int

// Step is one operation of a churn: the block that is replaced, and the new size.
type Step struct{ Slot, Size uint32 }
