//go:build cudasim && cgo && linux && (amd64 || arm64)

package main

// #include <stdint.h>
import "C"

import "github.com/poolgen/poolgen/cuda/internal/abi"

//export cuStreamCreate
func cuStreamCreate(to *C.uint64_t, flags C.uint) C.int {
	return cuStreamCreateWithPriority(to, flags, 0)
}

//export cuStreamCreateWithPriority
func cuStreamCreateWithPriority(to *C.uint64_t, flags C.uint, priority C.int) C.int {
	return getIn(to, func(ctx abi.Context) (abi.Stream, abi.Result) {
		return driver.StreamCreate(ctx, uint32(flags), int32(priority))
	})
}

//export cuStreamDestroy_v2
func cuStreamDestroy_v2(stream C.uint64_t) C.int {
	return doIn(func(ctx abi.Context) abi.Result { return driver.StreamDestroy(ctx, abi.Stream(stream)) })
}

//export cuStreamGetId
func cuStreamGetId(stream C.uint64_t, to *C.uint64_t) C.int {
	return getIn(to, func(ctx abi.Context) (uint64, abi.Result) { return driver.StreamGetID(ctx, abi.Stream(stream)) })
}

//export cuStreamGetCtx
func cuStreamGetCtx(stream C.uint64_t, to *C.uint64_t) C.int {
	return get(to, func() (abi.Context, abi.Result) { return driver.StreamGetCtx(abi.Stream(stream)) })
}

//export cuStreamQuery
func cuStreamQuery(stream C.uint64_t) C.int {
	return doIn(func(ctx abi.Context) abi.Result { return driver.StreamQuery(ctx, abi.Stream(stream)) })
}

//export cuStreamSynchronize
func cuStreamSynchronize(stream C.uint64_t) C.int {
	return doIn(func(ctx abi.Context) abi.Result { return driver.StreamSynchronize(ctx, abi.Stream(stream)) })
}

//export cuStreamWaitEvent
func cuStreamWaitEvent(stream, event C.uint64_t, flags C.uint) C.int {
	return doIn(func(ctx abi.Context) abi.Result {
		if flags != 0 {
			return abi.NotSupported
		}
		return driver.StreamWaitEvent(ctx, abi.Stream(stream), abi.Event(event))
	})
}

//export cuLaunchHostFunc
func cuLaunchHostFunc(stream, f, data C.uint64_t) C.int {
	return doIn(func(ctx abi.Context) abi.Result {
		if f == 0 {
			return abi.InvalidValue
		}
		return driver.LaunchHostFunc(ctx, abi.Stream(stream), func() { callHostFunc(uint64(f), uint64(data)) })
	})
}
