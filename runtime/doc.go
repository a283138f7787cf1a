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
//
// # For programs
//
// What users of pools call is this; all else is there for generated code, and for allocators.
//
//   - The errors, [ErrLimit] and its kin, which every failure matches by errors.Is; [PoolError], which has the figures; [Explain], which tells the story.
//   - The options of NewFooPool: [OnDevice], [WithLimit], [WithName], [WithMeter].
//   - [Stats] of one pool; [Pools] and [Metrics] of all; [OnEvent] for what happens off the fast paths.
//   - [TakeSnapshot], [TakeSnapshotNamed], [ReadSnapshot]: what pools hold, block by block.
//   - [Leaks], [AssertNoLeaks], [WriteProfile]: who holds what, in programs built with the tag pooldebug, and by samples with pooltrace.
//   - [Record], [SetFlightRecorder], [SetSampling], [WriteAllocProfile]: what happened, with the tag pooltrace.
package runtime
