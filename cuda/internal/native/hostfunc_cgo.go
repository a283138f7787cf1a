//go:build cgo && linux && (amd64 || arm64)

package native

// #include "hostfunc.h"
import "C"

import "github.com/poolgen/poolgen/cuda/internal/abi"

// launchHostFunc passes the number of a function to the driver.
func launchHostFunc(ctx abi.Context, s abi.Stream, n uint64) abi.Result {
	return abi.Result(C.host_func_launch(C.uint64_t(ctx), C.uint64_t(s), C.uint64_t(n)))
}

// poolgenHostFunc is what the driver calls, through C.
//
//export poolgenHostFunc
func poolgenHostFunc(n C.uint64_t) { callHostFunc(uint64(n)) }
