// Package pooltest tests generated pools. For pools with tests: true, poolgen writes test files that describe the pools to it;
// there is no other need to call it.
//
//	Smoke   the first block, misuse, the limit, several goroutines, Close
//	Fuzz    sequences of calls, compared with a model: which blocks are live, where they lie and what they hold
//	Warm    a pool made ready for a benchmark
//
// Each test has a pool of its own, which gets at most a few MiB ([Pool.Room]) whatever its pool file allows. If the memory is not
// available, because there is no driver or no device, the test is skipped with the reason.
package pooltest
