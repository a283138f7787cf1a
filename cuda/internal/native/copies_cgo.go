//go:build cgo && linux && (amd64 || arm64)

package native

// #include "table.h"
//
// static int copy_to_device(uint64_t ctx, uint64_t to, const uint8_t *from, uint64_t n) {
//	return IN(ctx, cuMemcpyHtoD, to, from, n);
// }
// static int copy_to_host(uint64_t ctx, uint8_t *to, uint64_t from, uint64_t n) { return IN(ctx, cuMemcpyDtoH, to, from, n); }
// static int copy_device(uint64_t ctx, uint64_t to, uint64_t from, uint64_t n) { return IN(ctx, cuMemcpyDtoD, to, from, n); }
// static int copy_to_device_on(uint64_t ctx, uint64_t to, const uint8_t *from, uint64_t n, uint64_t s) {
//	return IN(ctx, cuMemcpyHtoDAsync, to, from, n, H(s));
// }
// static int copy_to_host_on(uint64_t ctx, uint8_t *to, uint64_t from, uint64_t n, uint64_t s) {
//	return IN(ctx, cuMemcpyDtoHAsync, to, from, n, H(s));
// }
// static int copy_device_on(uint64_t ctx, uint64_t to, uint64_t from, uint64_t n, uint64_t s) {
//	return IN(ctx, cuMemcpyDtoDAsync, to, from, n, H(s));
// }
// static int copy_peer_on(uint64_t ctx, uint64_t to, uint64_t toCtx, uint64_t from, uint64_t fromCtx, uint64_t n, uint64_t s) {
//	return IN(ctx, cuMemcpyPeerAsync, to, H(toCtx), from, H(fromCtx), n, H(s));
// }
// static int set(uint64_t ctx, uint64_t at, uint8_t value, uint64_t n) { return IN(ctx, cuMemsetD8, at, value, n); }
// static int set_on(uint64_t ctx, uint64_t at, uint8_t value, uint64_t n, uint64_t s) {
//	return IN(ctx, cuMemsetD8Async, at, value, n, H(s));
// }
// static int set_words_on(uint64_t ctx, uint64_t at, uint32_t value, uint64_t n, uint64_t s) {
//	return IN(ctx, cuMemsetD32Async, at, value, n, H(s));
// }
import "C"

import (
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// Host memory is passed to C as a pointer to bytes. For an untyped pointer, cgo would search the whole object for Go
// pointers, which costs time and refuses buffers in a struct beside pointers.

// MemcpyHtoD returns when src may be reused.
func (Driver) MemcpyHtoD(ctx abi.Context, dst abi.Ptr, src unsafe.Pointer, bytes uint64) abi.Result {
	return abi.Result(C.copy_to_device(C.uint64_t(ctx), C.uint64_t(dst), (*C.uint8_t)(src), C.uint64_t(bytes)))
}

// MemcpyDtoH returns when the bytes are there.
func (Driver) MemcpyDtoH(ctx abi.Context, dst unsafe.Pointer, src abi.Ptr, bytes uint64) abi.Result {
	return abi.Result(C.copy_to_host(C.uint64_t(ctx), (*C.uint8_t)(dst), C.uint64_t(src), C.uint64_t(bytes)))
}

// MemcpyDtoD may return before the copy is done. Later work of the default stream sees the copy.
func (Driver) MemcpyDtoD(ctx abi.Context, dst, src abi.Ptr, bytes uint64) abi.Result {
	return abi.Result(C.copy_device(C.uint64_t(ctx), C.uint64_t(dst), C.uint64_t(src), C.uint64_t(bytes)))
}

// MemcpyHtoDAsync reads src when the stream reaches the copy.
func (Driver) MemcpyHtoDAsync(ctx abi.Context, dst abi.Ptr, src unsafe.Pointer, bytes uint64, s abi.Stream) abi.Result {
	return abi.Result(C.copy_to_device_on(C.uint64_t(ctx), C.uint64_t(dst), (*C.uint8_t)(src), C.uint64_t(bytes), C.uint64_t(s)))
}

// MemcpyDtoHAsync writes dst when the stream reaches the copy.
func (Driver) MemcpyDtoHAsync(ctx abi.Context, dst unsafe.Pointer, src abi.Ptr, bytes uint64, s abi.Stream) abi.Result {
	return abi.Result(C.copy_to_host_on(C.uint64_t(ctx), (*C.uint8_t)(dst), C.uint64_t(src), C.uint64_t(bytes), C.uint64_t(s)))
}

// MemcpyDtoDAsync copies within memory that ctx can address.
func (Driver) MemcpyDtoDAsync(ctx abi.Context, dst, src abi.Ptr, bytes uint64, s abi.Stream) abi.Result {
	return abi.Result(C.copy_device_on(C.uint64_t(ctx), C.uint64_t(dst), C.uint64_t(src), C.uint64_t(bytes), C.uint64_t(s)))
}

// MemcpyPeerAsync copies between contexts, even if neither can address the other's memory.
func (Driver) MemcpyPeerAsync(ctx abi.Context, dst abi.Ptr, dstCtx abi.Context, src abi.Ptr, srcCtx abi.Context, bytes uint64, s abi.Stream) abi.Result {
	return abi.Result(C.copy_peer_on(C.uint64_t(ctx), C.uint64_t(dst), C.uint64_t(dstCtx), C.uint64_t(src), C.uint64_t(srcCtx),
		C.uint64_t(bytes), C.uint64_t(s)))
}

// Like MemcpyDtoD, MemsetD8 may return before it is done.
func (Driver) MemsetD8(ctx abi.Context, dst abi.Ptr, value byte, bytes uint64) abi.Result {
	return abi.Result(C.set(C.uint64_t(ctx), C.uint64_t(dst), C.uint8_t(value), C.uint64_t(bytes)))
}

// MemsetD8Async writes in the order of the stream.
func (Driver) MemsetD8Async(ctx abi.Context, dst abi.Ptr, value byte, bytes uint64, s abi.Stream) abi.Result {
	return abi.Result(C.set_on(C.uint64_t(ctx), C.uint64_t(dst), C.uint8_t(value), C.uint64_t(bytes), C.uint64_t(s)))
}

// MemsetD32Async writes words in the order of the stream.
func (Driver) MemsetD32Async(ctx abi.Context, dst abi.Ptr, value uint32, words uint64, s abi.Stream) abi.Result {
	return abi.Result(C.set_words_on(C.uint64_t(ctx), C.uint64_t(dst), C.uint32_t(value), C.uint64_t(words), C.uint64_t(s)))
}
