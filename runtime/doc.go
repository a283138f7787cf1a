// Package runtime is the part of a pool that is the same for all pools. Programs use it for errors, statistics, options and
// snapshots; generated code uses its [Engine], which grows, limits, trims and closes a pool.
//
// Programs import it as poolrt, which leaves the name runtime to the standard library:
//
//	import poolrt "github.com/poolgen/poolgen/runtime"
//
// # For programs
//
// Users of pools need these; everything else is for generated code, and for allocators.
//
//   - Errors: [ErrLimit] and the others, which failures match with errors.Is; [PoolError], which carries the figures; [Explain], which
//     puts them into words.
//   - Options of NewFooPool: [OnDevice], [WithLimit], [WithName], [WithMeter].
//   - Statistics: [Stats] of one pool, [Pools] and [Metrics] of all, [OnEvent] for whatever happens off the fast paths.
//   - Snapshots of what pools hold, block by block: [TakeSnapshot], [TakeSnapshotNamed], [ReadSnapshot].
//   - Who holds what, in programs built with the tag pooldebug or, from a sample, with pooltrace: [Leaks], [AssertNoLeaks], [WriteProfile].
//   - What happened, with the tag pooltrace: [Record], [SetFlightRecorder], [SetSampling], [WriteAllocProfile].
//
// # For generated code
//
// A generated pool is a suballocator ([Core], specialised for the pool and called directly) beside an Engine, ordinary code that
// is called when the core has no free block, when a chunk becomes empty, or when something is wrong:
//
//	Alloc -> core has a block -> return                     (the fast path: generated code alone)
//	      -> Engine.Alloc -> grow within limit and budget   (one caller grows; the others may still free and allocate)
//	                      -> the ladder: trim, wait, another pool, error
package runtime
