// Package property generates code for random pool files and tries it out. Whatever a file says, it is either refused at a place in the
// file, or what comes out compiles, also for 32 bits, is vetted clean and passes a smoke test (package smoke).
//
// Pool files are drawn from a seed, many pools to a package, so that builds stay cheap. A failure prints the seed and the pool.
//
//	go test ./tests/property                                      a few dozen pools
//	go test ./tests/property -property.n=300 -property.seed=7     any number of them
package property
