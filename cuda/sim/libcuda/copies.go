//go:build cudasim && cgo && linux && (amd64 || arm64)

package main

// #include <stddef.h>
// #include <stdint.h>
import "C"

import (
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

//export cuMemcpyHtoD_v2
func cuMemcpyHtoD_v2(to C.uint64_t, from unsafe.Pointer, bytes C.size_t) C.int {
	return doIn(func(ctx abi.Context) abi.Result { return driver.MemcpyHtoD(ctx, abi.Ptr(to), from, uint64(bytes)) })
}

//export cuMemcpyDtoH_v2
func cuMemcpyDtoH_v2(to unsafe.Pointer, from C.uint64_t, bytes C.size_t) C.int {
	return doIn(func(ctx abi.Context) abi.Result { return driver.MemcpyDtoH(ctx, to, abi.Ptr(from), uint64(bytes)) })
}

//export cuMemcpyDtoD_v2
func cuMemcpyDtoD_v2(to, from C.uint64_t, bytes C.size_t) C.int {
	return doIn(func(ctx abi.Context) abi.Result {
		return driver.MemcpyDtoD(ctx, abi.Ptr(to), abi.Ptr(from), uint64(bytes))
	})
}

//export cuMemcpyHtoDAsync_v2
func cuMemcpyHtoDAsync_v2(to C.uint64_t, from unsafe.Pointer, bytes C.size_t, stream C.uint64_t) C.int {
	return doIn(func(ctx abi.Context) abi.Result {
		return driver.MemcpyHtoDAsync(ctx, abi.Ptr(to), from, uint64(bytes), abi.Stream(stream))
	})
}

//export cuMemcpyDtoHAsync_v2
func cuMemcpyDtoHAsync_v2(to unsafe.Pointer, from C.uint64_t, bytes C.size_t, stream C.uint64_t) C.int {
	return doIn(func(ctx abi.Context) abi.Result {
		return driver.MemcpyDtoHAsync(ctx, to, abi.Ptr(from), uint64(bytes), abi.Stream(stream))
	})
}

//export cuMemcpyDtoDAsync_v2
func cuMemcpyDtoDAsync_v2(to, from C.uint64_t, bytes C.size_t, stream C.uint64_t) C.int {
	return doIn(func(ctx abi.Context) abi.Result {
		return driver.MemcpyDtoDAsync(ctx, abi.Ptr(to), abi.Ptr(from), uint64(bytes), abi.Stream(stream))
	})
}

//export cuMemcpyPeerAsync
func cuMemcpyPeerAsync(to, toCtx, from, fromCtx C.uint64_t, bytes C.size_t, stream C.uint64_t) C.int {
	return doIn(func(ctx abi.Context) abi.Result {
		return driver.MemcpyPeerAsync(ctx, abi.Ptr(to), abi.Context(toCtx), abi.Ptr(from), abi.Context(fromCtx), uint64(bytes), abi.Stream(stream))
	})
}

//export cuMemsetD8_v2
func cuMemsetD8_v2(at C.uint64_t, value C.uint8_t, bytes C.size_t) C.int {
	return doIn(func(ctx abi.Context) abi.Result { return driver.MemsetD8(ctx, abi.Ptr(at), byte(value), uint64(bytes)) })
}

//export cuMemsetD8Async
func cuMemsetD8Async(at C.uint64_t, value C.uint8_t, bytes C.size_t, stream C.uint64_t) C.int {
	return doIn(func(ctx abi.Context) abi.Result {
		return driver.MemsetD8Async(ctx, abi.Ptr(at), byte(value), uint64(bytes), abi.Stream(stream))
	})
}

//export cuMemsetD32Async
func cuMemsetD32Async(at C.uint64_t, value C.uint32_t, words C.size_t, stream C.uint64_t) C.int {
	return doIn(func(ctx abi.Context) abi.Result {
		return driver.MemsetD32Async(ctx, abi.Ptr(at), uint32(value), uint64(words), abi.Stream(stream))
	})
}
