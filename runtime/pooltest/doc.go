// Package pooltest tests generated pools. Programs need not call it: for a pool with tests: true, poolgen generates a test file that calls it.
//
//   - [Smoke] tests a first block, misuse, the limit, batches, marks, several goroutines and Close.
//   - [Fuzz] tests sequences of calls against a model, which knows the live blocks, their addresses and their contents.
//   - [Pool.Warm] prepares a pool for a benchmark.
//
// Each test has a pool of its own, whose limit is at most the few MiB of [Traits.Room]. Where the memory is not available, because there is no driver or no device,
// the test is skipped with the reason.
package pooltest
