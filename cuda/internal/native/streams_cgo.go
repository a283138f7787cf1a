//go:build cgo && linux && (amd64 || arm64)

package native

// #include "table.h"
//
// static number stream_create(uint64_t ctx, unsigned flags, int priority) {
//	handle s = 0;
//	int r = IN(ctx, cuStreamCreateWithPriority, &s, flags, priority);
//	return (number){N(s), r};
// }
// static int stream_destroy(uint64_t ctx, uint64_t s) { return IN(ctx, cuStreamDestroy, H(s)); }
// static number stream_id(uint64_t ctx, uint64_t s) {
//	uint64_t id = 0;
//	int r = IN(ctx, cuStreamGetId, H(s), &id);
//	return (number){id, r};
// }
// static number stream_ctx(uint64_t s) { handle c = 0; int r = CALL(cuStreamGetCtx, H(s), &c); return (number){N(c), r}; }
// static int stream_query(uint64_t ctx, uint64_t s) { return IN(ctx, cuStreamQuery, H(s)); }
// static int stream_synchronize(uint64_t ctx, uint64_t s) { return IN(ctx, cuStreamSynchronize, H(s)); }
// static int stream_wait(uint64_t ctx, uint64_t s, uint64_t e) { return IN(ctx, cuStreamWaitEvent, H(s), H(e), 0); }
// static number stream_capturing(uint64_t ctx, uint64_t s) {
//	int status = 0;
//	int r = s > PER_THREAD ? CALL(cuStreamIsCapturing, H(s), &status) : INVALID_CONTEXT; // as in capture_info, for the same reason
//	if (r == INVALID_CONTEXT) r = IN(ctx, cuStreamIsCapturing, H(s), &status);
//	return (number){status, r};
// }
import "C"

import "github.com/poolgen/poolgen/cuda/internal/abi"

// StreamCreate makes a stream; a lower number is a higher priority.
func (Driver) StreamCreate(ctx abi.Context, flags uint32, priority int32) (abi.Stream, abi.Result) {
	r := C.stream_create(C.uint64_t(ctx), C.uint(flags), C.int(priority))
	return abi.Stream(r.value), abi.Result(r.result)
}

// StreamDestroy returns at once; the work goes on.
func (Driver) StreamDestroy(ctx abi.Context, s abi.Stream) abi.Result {
	return abi.Result(C.stream_destroy(C.uint64_t(ctx), C.uint64_t(s)))
}

// StreamGetID returns a number that no other stream of the process ever has.
func (Driver) StreamGetID(ctx abi.Context, s abi.Stream) (uint64, abi.Result) {
	r := C.stream_id(C.uint64_t(ctx), C.uint64_t(s))
	return uint64(r.value), abi.Result(r.result)
}

// StreamGetCtx returns the context in which the stream was made.
func (Driver) StreamGetCtx(s abi.Stream) (abi.Context, abi.Result) {
	r := C.stream_ctx(C.uint64_t(s))
	return abi.Context(r.value), abi.Result(r.result)
}

// StreamQuery queries the stream without waiting.
func (Driver) StreamQuery(ctx abi.Context, s abi.Stream) abi.Result {
	return abi.Result(C.stream_query(C.uint64_t(ctx), C.uint64_t(s)))
}

// StreamSynchronize blocks a thread until the stream is done.
func (Driver) StreamSynchronize(ctx abi.Context, s abi.Stream) abi.Result {
	return abi.Result(C.stream_synchronize(C.uint64_t(ctx), C.uint64_t(s)))
}

// StreamWaitEvent makes later work of s wait for e.
func (Driver) StreamWaitEvent(ctx abi.Context, s abi.Stream, e abi.Event) abi.Result {
	return abi.Result(C.stream_wait(C.uint64_t(ctx), C.uint64_t(s), C.uint64_t(e)))
}

// StreamIsCapturing is also true for an invalidated capture that has not ended.
func (Driver) StreamIsCapturing(ctx abi.Context, s abi.Stream) (bool, abi.Result) {
	r := C.stream_capturing(C.uint64_t(ctx), C.uint64_t(s))
	return r.value != 0, abi.Result(r.result)
}
