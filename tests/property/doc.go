// Package property generates code for random pool files and tests it. Either a file is refused at a place in the
// file, or the output compiles, also for 32 bits, passes go vet and passes a smoke test (package smoke). Pools of devices pass the tests
// that are generated with them, on the simulated driver.
//
// Pool files are drawn from a seed, with many pools in a package, which keeps builds cheap. A failure prints the seed and the pool.
//
//	go test ./tests/property                                      hostile pool files; with POOLGEN_TESTS=large, a few dozen pools
//	go test ./tests/property -property.n=300 -property.seed=7     any number of them
package property
