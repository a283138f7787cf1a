package cuda

import (
	"time"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// Event is recorded in a stream, to query, or wait for, the work that the stream had before it. It is a small value that can be copied and compared.
type Event struct {
	handle uintptr
	device Device
}

// An EventOption is an option of NewEvent.
type EventOption func(*eventOptions)

type eventOptions struct{ flags uint32 }

// Timing makes an event that [Event.Elapsed] can use. Without it events are cheaper.
func Timing(o *eventOptions) { o.flags &^= abi.EventDisableTiming }

// BlockingSync makes an event whose Synchronize sleeps instead of spinning.
func BlockingSync(o *eventOptions) { o.flags |= abi.EventBlockingSync }

// NewEvent makes an event for streams of the device. It takes about a microsecond.
func (d Device) NewEvent(opts ...EventOption) (Event, error) {
	t, ctx, err := d.table()
	if err != nil {
		return Event{}, err
	}
	o := eventOptions{flags: abi.EventDisableTiming}
	for _, opt := range opts {
		opt(&o)
	}
	h, r := t.EventCreate(ctx, o.flags)
	return Event{handle: uintptr(h), device: d}, check(r, "EventCreate", d, 0)
}

// AdoptEvent returns an Event for the handle (CUevent or cudaEvent_t) of an event of a device that another binding made and owns.
func (d Device) AdoptEvent(handle uintptr) Event { return Event{handle: handle, device: d} }

// Handle returns the driver's handle (CUevent).
func (e Event) Handle() uintptr { return e.handle }

// Device returns the device of the event.
func (e Event) Device() Device { return e.device }

// table returns the function table and the context of the event's device, and the handle.
func (e Event) table() (abi.Driver, abi.Context, abi.Event, error) {
	t, ctx, err := e.device.table()
	return t, ctx, abi.Event(e.handle), err
}

// Record records the event after the work that the stream, of the same device, has now. It replaces an earlier recording.
func (e Event) Record(s Stream) error {
	const op = "EventRecord"
	t, ctx, h, err := e.table()
	if err != nil {
		return err
	}
	if s.device != e.device { // the driver cannot distinguish default streams
		return failure(abi.InvalidHandle, op, e.device, 0, "the stream is of "+s.device.String())
	}
	return check(t.EventRecord(ctx, h, abi.Stream(s.handle)), op, e.device, 0)
}

// Query reports whether the work before the last recording is done; true if the event was never recorded. An event that was
// recorded in a stream that captures cannot be queried.
func (e Event) Query() (done bool, err error) {
	t, ctx, h, err := e.table()
	if err != nil {
		return false, err
	}
	r := t.EventQuery(ctx, h)
	if r == abi.NotReady {
		return false, nil
	}
	return r == abi.Success, check(r, "EventQuery", e.device, 0)
}

// Synchronize waits until the work before the last recording is done. It blocks a thread meanwhile.
func (e Event) Synchronize() error {
	t, ctx, h, err := e.table()
	if err != nil {
		return err
	}
	return check(t.EventSynchronize(ctx, h), "EventSynchronize", e.device, 0)
}

// Elapsed returns the time between two events made with [Timing] that have passed, to about half a microsecond. If they have
// not, the error has the code [ResultNotReady].
func (e Event) Elapsed(to Event) (time.Duration, error) {
	t, _, h, err := e.table()
	if err != nil {
		return 0, err
	}
	ms, r := t.EventElapsedTime(h, abi.Event(to.handle))
	return time.Duration(float64(ms) * float64(time.Millisecond)), check(r, "EventElapsedTime", e.device, 0)
}

// Close destroys an event, which may be pending: streams that wait for it continue to wait.
func (e Event) Close() error {
	t, ctx, h, err := e.table()
	if err != nil {
		return err
	}
	return check(t.EventDestroy(ctx, h), "EventDestroy", e.device, 0)
}
