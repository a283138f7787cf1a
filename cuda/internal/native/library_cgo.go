//go:build cgo && linux && (amd64 || arm64)

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
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// Backend says how this program calls the driver.
const Backend = "cgo"

func load(name string) abi.Status {
	path := C.CString(name)
	defer C.free(unsafe.Pointer(path))
	var o C.struct_poolgen_outcome
	C.poolgen_load(path, &o)
	return abi.Status{Result: abi.Result(o.result), Path: C.GoString(&o.path[0]), Message: C.GoString(&o.message[0])}
}

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
