// Command libcuda is the simulated driver as a shared library with the functions of C, for programs that call the driver by bindings of their own:
//
//	go build -buildmode=c-shared -tags cudasim -o libcuda.so.1 github.com/poolgen/poolgen/cuda/sim/libcuda
//	LD_LIBRARY_PATH=$PWD program
//
// It builds on Linux, with cgo. The machine is that of package cuda/sim: two devices of 16 GiB, whose streams advance by a schedule with the seed 1, so that
// programs that poll come to an end. Handles and device addresses are numbers; device memory cannot be dereferenced.
//
// It has the functions for devices, primary contexts, memory of all kinds, memory pools, virtual memory, streams, events, captures, and the names of
// results; symbols.h lists them. All other functions of the driver, up to CUDA 12.1, are there and return CUDA_ERROR_NOT_SUPPORTED, among them those for
// kernels, textures and contexts besides the primary ones. cuGetProcAddress returns CUDA_ERROR_NOT_FOUND for a name that no driver has.
package main

import (
	"fmt"
	"os"
)

// main runs if this is built as a program.
func main() {
	fmt.Fprintln(os.Stderr, "libcuda is a library: build it with -buildmode=c-shared -tags cudasim, on Linux with cgo")
	os.Exit(2)
}
