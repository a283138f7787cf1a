// Package poolrt is what programs use besides the pools that poolgen generates for them: errors, options, statistics, events, leaks, snapshots and traces.
//
// The import path ends in runtime, and the package is imported by its own name:
//
//	import poolrt "github.com/poolgen/poolgen/runtime"
//
// In this documentation Foo stands for a pool of a pool file. For that pool poolgen generates the type FooPool and the function NewFooPool.
// The words chunk, live, pending, reserved, ladder and rung are explained in docs/concepts.md.
//
// # Errors
//
// A call that fails returns an error that wraps a [PoolError]. The error matches one of the values of this package with errors.Is:
//
//	v, err := pool.Alloc()
//	if errors.Is(err, poolrt.ErrLimit) {
//		log.Print(poolrt.Explain(err))
//	}
//
// The PoolError has the figures of the pool at that moment. [Explain] describes a failed allocation in one paragraph: where the memory of the pool is, what the
// pool tried, and what would have made the request fit.
//
// # Options
//
// NewFooPool takes options by which one pool differs from its pool file: [WithLimit], [WithChunkSize], [WithPrime], [WithTrim], [OnDevice], [WithName] and [WithMeter].
// Of a pool in use, method SetLimit changes the limit and method Prime reserves memory. Page docs/settings.md describes what each accepts and costs.
//
// # Groups
//
// Each generated pool is a [Pool]. [NewGroup] makes a [Group] of pools, which are trimmed or closed together. A generated package with two pools or more has such a
// group of its own, the variable Pools.
//
// # Statistics
//
// Method Stats of a pool returns its [Stats]. [Pools] lists all pools of the program with their statistics, and [Metrics] describes the figures to monitoring
// systems. Package poolvars publishes them with expvar, package poolz on a page for the browser, and module metrics/prometheus for Prometheus.
//
// A [Meter] counts and times the calls that pools make of allocators and of the driver.
//
// # Events
//
// [OnEvent] calls a function of the program when a pool grows, returns memory or fails an allocation.
//
// # Leaks
//
// [AssertNoLeaks] fails a test that leaves live blocks. [Leaks] lists live blocks by the call stacks that allocated them, and [WriteProfile] writes the list for go
// tool pprof. Call stacks are known in programs built with the tag pooldebug and, from a sample, with the tag pooltrace and of pools with profile: true.
//
// # Snapshots
//
// [TakeSnapshot] lists what pools hold, block by block. [Snapshot.Write] writes a file, which command poolgen snapshot shows and [ReadSnapshot] reads.
//
// # Tracing
//
// In programs built with the tag pooltrace, [Record] writes a trace of all allocations and frees, for the commands poolgen replay and poolgen tune.
// [SetFlightRecorder] and [SetSampling] set what each pool keeps of its past. [WriteAllocProfile] writes who allocates how much, without the tag for pools with
// profile: true.
//
// # Generated code
//
// Generated code calls package poolimpl, which programs do not use. Nothing is promised of that package beyond the version of the output.
package poolrt
