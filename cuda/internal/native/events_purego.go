//go:build !cgo && poolgen_purego && linux && (amd64 || arm64)

package native

import (
	"math"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// EventCreate makes an event, which counts as passed until it is recorded.
func (Driver) EventCreate(ctx abi.Context, flags uint32) (abi.Event, abi.Result) {
	e, r := fetchIn(ctx, table.cuEventCreate, uintptr(flags))
	return abi.Event(e), r
}

// EventDestroy returns at once, even while the event is pending.
func (Driver) EventDestroy(ctx abi.Context, e abi.Event) abi.Result {
	return in(ctx, table.cuEventDestroy, uintptr(e))
}

// EventRecord records the event after the work that s has now.
func (Driver) EventRecord(ctx abi.Context, e abi.Event, s abi.Stream) abi.Result {
	return in(ctx, table.cuEventRecord, uintptr(e), uintptr(s))
}

// EventQuery queries the event without waiting.
func (Driver) EventQuery(ctx abi.Context, e abi.Event) abi.Result {
	return in(ctx, table.cuEventQuery, uintptr(e))
}

// EventSynchronize blocks a thread until the event has passed.
func (Driver) EventSynchronize(ctx abi.Context, e abi.Event) abi.Result {
	return in(ctx, table.cuEventSynchronize, uintptr(e))
}

// EventElapsedTime returns the time between two events that have passed, to about half a microsecond.
func (Driver) EventElapsedTime(from, to abi.Event) (float32, abi.Result) {
	ms, r := fetch(table.cuEventElapsedTime, uintptr(from), uintptr(to))
	return math.Float32frombits(uint32(ms)), r
}
