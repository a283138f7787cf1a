//go:build linux && (amd64 || arm64) && (cgo || poolgen_purego)

// Package native is the function table over the driver's own library, which it looks for when the program runs: the program builds
// without the CUDA toolkit, links no CUDA library, and starts on machines that have none.
//
// The library is libcuda.so.1, then libcuda.so, wherever the system's loader finds them. The environment variable
// POOLGEN_CUDA_LIBRARY names another one, a path or a soname; then only that one is tried.
//
// Programs call C in one of two ways, each in files of its own. With cgo, the default, each method is one call to C, which makes the context current, does
// the work, and puts back the context that was current on the thread. In a build without cgo, the tag poolgen_purego makes module purego do the calls,
// each step by itself, while the goroutine stays on its thread. Without both, there is no driver.
//
// Results are returned by value, because a call must not allocate. With cgo, functions that get the address of a Go variable are marked noescape for the
// same reason, which has an effect only together with nocallback; they call no Go code.
package native

import (
	"os"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// Driver is the loaded driver.
type Driver struct{ path string }

var _ abi.Driver = Driver{}

// sonames are tried in this order. Some distributions have only the second.
var sonames = []string{"libcuda.so.1", "libcuda.so"}

// Open loads the driver and initialises it. Without a driver, all methods of the returned table return the reason. The process
// keeps the addresses of the library's functions: call Open once.
func Open() abi.Driver {
	names := sonames
	if name := os.Getenv("POOLGEN_CUDA_LIBRARY"); name != "" {
		names = []string{name}
	}
	var why abi.Status
	for i, name := range names {
		s := load(name)
		if s.Result == abi.Success {
			return Driver{s.Path}
		}
		if i == 0 || s.Result != abi.NoLibrary { // the failure of the second name adds nothing
			why = s
		}
		if s.Result != abi.NoLibrary {
			break
		}
	}
	return abi.Absent(why)
}

// Load returns success: Open has done the work.
func (d Driver) Load() abi.Status { return abi.Status{Path: d.path} }

// Path returns the path of the library, as the loader names it.
func (d Driver) Path() string { return d.path }
