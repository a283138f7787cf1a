// Package recycling has three small programs that recycle memory themselves, each beside the same program with a pool:
//
//	layers_before.go    device memory, kept in a map by its length            layers_after.go    a heap, in the order of streams
//	request_before.go   an arena with an offset, reset after each request     request_after.go   a bump pool
//	picture_before.go   device memory that a finalizer returns                picture_after.go   a block with an owner
//
// A fourth program, particles.go, is better off without a pool.
//
// The tests run on a GPU, and without one on the simulated driver:
//
//	go test -tags cudasim ./generated_examples/recycling
package recycling
