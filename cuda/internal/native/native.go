//go:build cgo && linux && (amd64 || arm64)

// Package native is the function table over the driver's own library, which it looks for when the program runs: the program builds
// without the CUDA toolkit, links no CUDA library, and starts on machines that have none.
//
// The library is libcuda.so.1, then libcuda.so, wherever the system's loader finds them. The environment variable
// POOLGEN_CUDA_LIBRARY names another one, a path or a soname; then only that one is tried.
//
// Each method is one call from Go to C, which makes the context current, does the work, and puts back the context that was current
// on the thread. Results are returned by value, because a call must not allocate. Functions that get the address of a Go variable
// are marked noescape for the same reason, which has an effect only together with nocallback; they call no Go code.
package native

// #cgo LDFLAGS: -ldl
// #include <stdlib.h>
// #include "table.h"
//
// static number driver_version(void) {
//	int v = 0;
//	int r = CALL(cuDriverGetVersion, &v);
//	return (number){v, r};
// }
//
// static const char *error_name(int code) {
//	const char *text = 0;
//	return CALL(cuGetErrorName, code, &text) ? 0 : text;
// }
//
// static const char *error_string(int code) {
//	const char *text = 0;
//	return CALL(cuGetErrorString, code, &text) ? 0 : text;
// }
import "C"

import (
	"os"
	"unsafe"

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

func load(name string) abi.Status {
	path := C.CString(name)
	defer C.free(unsafe.Pointer(path))
	var o C.struct_poolgen_outcome
	C.poolgen_load(path, &o)
	return abi.Status{Result: abi.Result(o.result), Path: C.GoString(&o.path[0]), Message: C.GoString(&o.message[0])}
}

// Load returns success: Open has done the work.
func (d Driver) Load() abi.Status { return abi.Status{Path: d.path} }

// Path returns the path of the library, as the loader names it.
func (d Driver) Path() string { return d.path }

// Has reports whether the library has a function.
func (Driver) Has(function string) bool {
	name := C.CString(function)
	defer C.free(unsafe.Pointer(name))
	return C.poolgen_has(name) != 0
}

// DriverGetVersion returns the version of CUDA that the driver supports: 1000 times the major plus 10 times the minor version.
func (Driver) DriverGetVersion() (int, abi.Result) {
	r := C.driver_version()
	return int(r.value), abi.Result(r.result)
}

// GetErrorName returns the constant's name in the driver's header, "" for unknown codes.
func (Driver) GetErrorName(r abi.Result) string { return C.GoString(C.error_name(C.int(r))) }

// GetErrorString returns the driver's description.
func (Driver) GetErrorString(r abi.Result) string { return C.GoString(C.error_string(C.int(r))) }
