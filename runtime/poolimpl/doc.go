// Package poolimpl is the part of a pool that is the same for all pools. Generated code calls it, and so do package cuda and the tests of generated pools.
// Programs use package poolrt. Nothing is promised here beyond the versions of output in output.go.
//
// A generated pool is a suballocator ([Core], specialised for the pool and called directly) beside an [Engine], ordinary code that
// is called when the core has no free block, when a chunk becomes empty, or when something is wrong:
//
//	Alloc -> core has a block -> return                     (the fast path: generated code alone)
//	      -> Engine.Alloc -> grow within limit and budget   (one caller grows; the others may still free and allocate)
//	                      -> the ladder: trim, wait, another pool, error
package poolimpl
