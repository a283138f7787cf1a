// Package pooltest tries out generated pools. The test files that poolgen writes for pools with `tests: true` describe their pools to it; there
// is no need to call it otherwise.
//
//	Smoke   the first block, misuse, the limit, several goroutines, Close
//	Fuzz    sequences of calls, held against a model: which blocks are live, where they lie and what they hold
//	Warm    a pool made ready for a benchmark
//
// Each test has a pool of its own, which is given at most a few MiB ([Pool.Room]) whatever its pool file allows. Where its memory
// cannot be had, for want of a driver or a device, the test is skipped with the reason.
package pooltest
