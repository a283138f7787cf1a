// Package nccl calls NCCL, the library in which the GPUs of a program, on one machine or on many, exchange and combine data: all-reduce, all-gather,
// reduce-scatter, broadcast, send and receive, over memory of pools.
//
// A program that imports it builds without the CUDA toolkit and without NCCL, and links neither. The first call looks for the library: a libnccl.so.2 that the
// process has already, then libnccl.so.2 where the loader finds it, then the one that the environment variable POOLGEN_NCCL_LIBRARY names. Without one, every
// function returns an error that matches [ErrNoLibrary] and says what was tried. Programs call the library as package cuda calls the driver. With the tag cudasim it
// is a simulated one, for any number of ranks in the process; it computes what NCCL does.
//
// Each GPU is a rank of a communicator, a [Comm]. One rank makes a [UniqueID], the program carries it to the others by its own means, and each rank calls [New] with it.
// A rank is a goroutine or a process, here or on another machine.
//
// Chunks of a pool whose pool file says registered: true are registered with the communicators that [Attach] names, as they come, and deregistered before they go. Then
// NCCL moves their bytes without copies of its own.
//
// Errors are of type *[Error]. All functions are safe for concurrent use, but ranks must start the collectives of a communicator in one order.
package nccl
