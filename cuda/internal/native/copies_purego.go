//go:build !cgo && poolgen_purego && linux && (amd64 || arm64)

package native

import (
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// MemcpyHtoD returns when src may be reused.
func (Driver) MemcpyHtoD(ctx abi.Context, dst abi.Ptr, src unsafe.Pointer, bytes uint64) abi.Result {
	m := borrow()
	defer m.giveBack()
	return in(ctx, table.cuMemcpyHtoD, uintptr(dst), m.hold(src), uintptr(bytes))
}

// MemcpyDtoH returns when the bytes are there.
func (Driver) MemcpyDtoH(ctx abi.Context, dst unsafe.Pointer, src abi.Ptr, bytes uint64) abi.Result {
	m := borrow()
	defer m.giveBack()
	return in(ctx, table.cuMemcpyDtoH, m.hold(dst), uintptr(src), uintptr(bytes))
}

// MemcpyDtoD may return before the copy is done. Later work of the default stream sees the copy.
func (Driver) MemcpyDtoD(ctx abi.Context, dst, src abi.Ptr, bytes uint64) abi.Result {
	return in(ctx, table.cuMemcpyDtoD, uintptr(dst), uintptr(src), uintptr(bytes))
}

// MemcpyHtoDAsync reads src when the stream reaches the copy.
func (Driver) MemcpyHtoDAsync(ctx abi.Context, dst abi.Ptr, src unsafe.Pointer, bytes uint64, s abi.Stream) abi.Result {
	m := borrow()
	defer m.giveBack()
	return in(ctx, table.cuMemcpyHtoDAsync, uintptr(dst), m.hold(src), uintptr(bytes), uintptr(s))
}

// MemcpyDtoHAsync writes dst when the stream reaches the copy.
func (Driver) MemcpyDtoHAsync(ctx abi.Context, dst unsafe.Pointer, src abi.Ptr, bytes uint64, s abi.Stream) abi.Result {
	m := borrow()
	defer m.giveBack()
	return in(ctx, table.cuMemcpyDtoHAsync, m.hold(dst), uintptr(src), uintptr(bytes), uintptr(s))
}

// MemcpyDtoDAsync copies within memory that ctx can address.
func (Driver) MemcpyDtoDAsync(ctx abi.Context, dst, src abi.Ptr, bytes uint64, s abi.Stream) abi.Result {
	return in(ctx, table.cuMemcpyDtoDAsync, uintptr(dst), uintptr(src), uintptr(bytes), uintptr(s))
}

// MemcpyPeerAsync copies between contexts, even if neither can address the other's memory.
func (Driver) MemcpyPeerAsync(ctx abi.Context, dst abi.Ptr, dstCtx abi.Context, src abi.Ptr, srcCtx abi.Context, bytes uint64, s abi.Stream) abi.Result {
	return in(ctx, table.cuMemcpyPeerAsync, uintptr(dst), uintptr(dstCtx), uintptr(src), uintptr(srcCtx), uintptr(bytes), uintptr(s))
}

// Like MemcpyDtoD, MemsetD8 may return before it is done.
func (Driver) MemsetD8(ctx abi.Context, dst abi.Ptr, value byte, bytes uint64) abi.Result {
	return in(ctx, table.cuMemsetD8, uintptr(dst), uintptr(value), uintptr(bytes))
}

// MemsetD8Async writes in the order of the stream.
func (Driver) MemsetD8Async(ctx abi.Context, dst abi.Ptr, value byte, bytes uint64, s abi.Stream) abi.Result {
	return in(ctx, table.cuMemsetD8Async, uintptr(dst), uintptr(value), uintptr(bytes), uintptr(s))
}

// MemsetD32Async writes words in the order of the stream.
func (Driver) MemsetD32Async(ctx abi.Context, dst abi.Ptr, value uint32, words uint64, s abi.Stream) abi.Result {
	return in(ctx, table.cuMemsetD32Async, uintptr(dst), uintptr(value), uintptr(words), uintptr(s))
}
