// Package poolrt is what programs with pools use besides the pools: errors, options, statistics, snapshots, and what builds for debugging and tracing tell.
// Its import path ends in runtime; programs import it by its name:
//
//		import poolrt "github.com/poolgen/poolgen/runtime"
//
//	  - Errors: [ErrLimit] and the others, which failures match with errors.Is; [PoolError], which has the figures; [Explain], which
//	    puts them into words.
//	  - Options of NewFooPool: [OnDevice], [WithLimit], [WithName], [WithMeter].
//	  - Statistics: [Stats] of one pool, [Pools] and [Metrics] of all, [OnEvent] for what happens off the fast paths.
//	  - Snapshots of what pools hold, block by block: [TakeSnapshot], [TakeSnapshotNamed], [ReadSnapshot].
//	  - Who holds what, in programs built with the tag pooldebug or, from a sample, with pooltrace: [Leaks], [AssertNoLeaks], [WriteProfile].
//	  - What happened, with the tag pooltrace: [Record], [SetFlightRecorder], [SetSampling], [WriteAllocProfile].
//
// Generated code calls package poolimpl, which has no promise beyond the version of the output.
package poolrt
