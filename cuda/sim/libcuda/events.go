//go:build cudasim && cgo && linux && (amd64 || arm64)

package main

// #include <stdint.h>
import "C"

import "github.com/poolgen/poolgen/cuda/internal/abi"

//export cuEventCreate
func cuEventCreate(to *C.uint64_t, flags C.uint) C.int {
	return getIn(to, func(ctx abi.Context) (abi.Event, abi.Result) { return driver.EventCreate(ctx, uint32(flags)) })
}

//export cuEventDestroy_v2
func cuEventDestroy_v2(event C.uint64_t) C.int {
	return doIn(func(ctx abi.Context) abi.Result { return driver.EventDestroy(ctx, abi.Event(event)) })
}

//export cuEventRecord
func cuEventRecord(event, stream C.uint64_t) C.int {
	return doIn(func(ctx abi.Context) abi.Result { return driver.EventRecord(ctx, abi.Event(event), abi.Stream(stream)) })
}

//export cuEventQuery
func cuEventQuery(event C.uint64_t) C.int {
	return doIn(func(ctx abi.Context) abi.Result { return driver.EventQuery(ctx, abi.Event(event)) })
}

//export cuEventSynchronize
func cuEventSynchronize(event C.uint64_t) C.int {
	return doIn(func(ctx abi.Context) abi.Result { return driver.EventSynchronize(ctx, abi.Event(event)) })
}

//export cuEventElapsedTime
func cuEventElapsedTime(to *C.float, from, until C.uint64_t) C.int {
	return get(to, func() (float32, abi.Result) { return driver.EventElapsedTime(abi.Event(from), abi.Event(until)) })
}
