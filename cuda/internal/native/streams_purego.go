//go:build !cgo && poolgen_purego && linux && (amd64 || arm64)

package native

import "github.com/poolgen/poolgen/cuda/internal/abi"

// StreamCreate makes a stream; a lower number is a higher priority.
func (Driver) StreamCreate(ctx abi.Context, flags uint32, priority int32) (abi.Stream, abi.Result) {
	s, r := fetchIn(ctx, table.cuStreamCreateWithPriority, uintptr(flags), uintptr(priority))
	return abi.Stream(s), r
}

// StreamDestroy returns at once; the work goes on.
func (Driver) StreamDestroy(ctx abi.Context, s abi.Stream) abi.Result {
	return in(ctx, table.cuStreamDestroy, uintptr(s))
}

// StreamGetID returns a number that no other stream of the process ever has.
func (Driver) StreamGetID(ctx abi.Context, s abi.Stream) (uint64, abi.Result) {
	m := borrow()
	defer m.giveBack()
	r := in(ctx, table.cuStreamGetId, uintptr(s), m.toFirst())
	return m.first, r
}

// StreamGetCtx returns the context in which the stream was made.
func (Driver) StreamGetCtx(s abi.Stream) (abi.Context, abi.Result) {
	m := borrow()
	defer m.giveBack()
	r := call(table.cuStreamGetCtx, uintptr(s), m.toFirst())
	return abi.Context(m.first), r
}

// StreamQuery queries the stream without waiting.
func (Driver) StreamQuery(ctx abi.Context, s abi.Stream) abi.Result {
	return in(ctx, table.cuStreamQuery, uintptr(s))
}

// StreamSynchronize blocks a thread until the stream is done.
func (Driver) StreamSynchronize(ctx abi.Context, s abi.Stream) abi.Result {
	return in(ctx, table.cuStreamSynchronize, uintptr(s))
}

// StreamWaitEvent makes later work of s wait for e.
func (Driver) StreamWaitEvent(ctx abi.Context, s abi.Stream, e abi.Event) abi.Result {
	return in(ctx, table.cuStreamWaitEvent, uintptr(s), uintptr(e), 0)
}

// StreamIsCapturing is also true for an invalidated capture that has not ended.
func (Driver) StreamIsCapturing(ctx abi.Context, s abi.Stream) (bool, abi.Result) {
	m := borrow()
	defer m.giveBack()
	r := abi.InvalidContext
	if s > abi.PerThreadStream { // as in StreamGetCaptureInfo, for the same reason
		r = call(table.cuStreamIsCapturing, uintptr(s), m.toFirst())
	}
	if r == abi.InvalidContext {
		r = in(ctx, table.cuStreamIsCapturing, uintptr(s), m.toFirst())
	}
	return int32(m.first) != 0, r
}
