// Package runtime is the part of a pool that does not change from pool to pool: what generated code needs once it leaves
// its fast path. It holds the error values, statistics and options that users see, and the [Engine] that grows, limits, trims
// and closes a pool.
//
// A generated pool is a suballocator ([Core], specialised for the pool and called directly) beside an Engine (ordinary
// code, called when the core has no free block, when a chunk becomes empty, or when something is wrong):
//
//	Alloc -> core has a block -> return                     (the fast path: generated code alone)
//	      -> Engine.Alloc -> grow within limit and budget   (one caller grows; the others may still free and allocate)
//	                      -> the ladder: trim, wait, another pool, error
//
// Import it as poolrt in programs that also import the standard library's runtime:
//
//	import poolrt "github.com/poolgen/poolgen/runtime"
package runtime
