// Package cuda calls the CUDA driver: devices, streams, events, memory, copies, kernels. Pools whose memory is on a device, or accessible to one, use
// it, and programs can use it directly.
//
// A program that imports it builds without the CUDA toolkit, links no CUDA library, and starts on machines without a driver: the first call of a
// function looks for the library (libcuda.so.1, or the one that the environment variable POOLGEN_CUDA_LIBRARY names). Without a driver, or
// in a program that cannot call one, every function returns an error that matches [poolrt.ErrNoDriver] and says why; nothing panics. A program calls the
// driver by cgo or, if it is built without, by the tag poolgen_purego, on Linux: see [Backend]. With the tag cudasim the driver is a simulator in ordinary
// memory.
//
// Handles and addresses are numbers, not Go pointers: a [DevicePtr] cannot be dereferenced on the host, and the garbage collector does not follow it.
// Call Close on every value that has such a method; there are no finalizers.
//
// CUDA's current context belongs to a thread, and goroutines change threads. Therefore this package has no current device: each function runs in the
// primary context of the device that its receiver or its stream names, on one thread, and leaves the thread's context as it was. A primary context
// is retained on the first use of its device, which takes a large part of a second, for the life of the process; the CUDA runtime and other libraries
// in the process use the same one.
//
// Everything is safe for concurrent use unless documented otherwise. A call costs about 100 ns more than from C, with purego about a microsecond. Sizes
// are in bytes. Errors are of type *[Error].
package cuda
