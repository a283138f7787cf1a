//go:build cgo && linux && (amd64 || arm64)

package native

// #include "table.h"
//
// typedef struct { float value; int32_t result; } real;
//
// static number event_create(uint64_t ctx, unsigned flags) {
//	handle e = 0;
//	int r = IN(ctx, cuEventCreate, &e, flags);
//	return (number){N(e), r};
// }
// static int event_destroy(uint64_t ctx, uint64_t e) { return IN(ctx, cuEventDestroy, H(e)); }
// static int event_record(uint64_t ctx, uint64_t e, uint64_t s) { return IN(ctx, cuEventRecord, H(e), H(s)); }
// static int event_query(uint64_t ctx, uint64_t e) { return IN(ctx, cuEventQuery, H(e)); }
// static int event_synchronize(uint64_t ctx, uint64_t e) { return IN(ctx, cuEventSynchronize, H(e)); }
// static real event_elapsed(uint64_t from, uint64_t to) {
//	float ms = 0;
//	int r = CALL(cuEventElapsedTime, &ms, H(from), H(to));
//	return (real){ms, r};
// }
import "C"

import "github.com/poolgen/poolgen/cuda/internal/abi"

// EventCreate makes an event, which counts as passed until it is recorded.
func (Driver) EventCreate(ctx abi.Context, flags uint32) (abi.Event, abi.Result) {
	r := C.event_create(C.uint64_t(ctx), C.uint(flags))
	return abi.Event(r.value), abi.Result(r.result)
}

// EventDestroy returns at once, even while the event is pending.
func (Driver) EventDestroy(ctx abi.Context, e abi.Event) abi.Result {
	return abi.Result(C.event_destroy(C.uint64_t(ctx), C.uint64_t(e)))
}

// EventRecord records the event after the work that s has now.
func (Driver) EventRecord(ctx abi.Context, e abi.Event, s abi.Stream) abi.Result {
	return abi.Result(C.event_record(C.uint64_t(ctx), C.uint64_t(e), C.uint64_t(s)))
}

// EventQuery queries the event without waiting.
func (Driver) EventQuery(ctx abi.Context, e abi.Event) abi.Result {
	return abi.Result(C.event_query(C.uint64_t(ctx), C.uint64_t(e)))
}

// EventSynchronize blocks a thread until the event has passed.
func (Driver) EventSynchronize(ctx abi.Context, e abi.Event) abi.Result {
	return abi.Result(C.event_synchronize(C.uint64_t(ctx), C.uint64_t(e)))
}

// EventElapsedTime returns the time between two events that have passed, to about half a microsecond.
func (Driver) EventElapsedTime(from, to abi.Event) (float32, abi.Result) {
	r := C.event_elapsed(C.uint64_t(from), C.uint64_t(to))
	return float32(r.value), abi.Result(r.result)
}
