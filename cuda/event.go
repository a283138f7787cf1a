package cuda

import (
	"time"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// Event can be put into streams, to ask for, or wait for, the work that was in them before it. It is a small value to be
// copied and compared.
type Event struct {
	handle uintptr
	device Device
}

// An EventOption says how NewEvent makes an event.
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

// AdoptEvent makes an Event of the handle (CUevent or cudaEvent_t) of an event of a device that another binding made and keeps.
func (d Device) AdoptEvent(handle uintptr) Event { return Event{handle: handle, device: d} }

// Handle returns the driver's handle (CUevent).
func (e Event) Handle() uintptr { return e.handle }

// Device returns the device that the event is of.
func (e Event) Device() Device { return e.device }

// table is that of the event's device, and the handle.
func (e Event) table() (abi.Driver, abi.Context, abi.Event, error) {
	t, ctx, err := e.device.table()
	return t, ctx, abi.Event(e.handle), err
}

// Record puts the event behind the work that the stream, of the same device, has now. What the event recorded before is dropped.
func (e Event) Record(s Stream) error {
	const op = "EventRecord"
	t, ctx, h, err := e.table()
	if err != nil {
		return err
	}
	if s.device != e.device { // the driver cannot tell default streams apart
		return failure(abi.InvalidHandle, op, e.device, 0, "the stream is of "+s.device.String())
	}
	return check(t.EventRecord(ctx, h, abi.Stream(s.handle)), op, e.device, 0)
}

// Query reports whether what the event recorded last is done; true if it never recorded anything. An event that was recorded in a
// stream that captures cannot be asked.
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

// Synchronize waits until what the event recorded last is done. It holds a thread meanwhile.
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

// Close destroys an event, which may still be pending: streams that were made to wait for it still do.
func (e Event) Close() error {
	t, ctx, h, err := e.table()
	if err != nil {
		return err
	}
	return check(t.EventDestroy(ctx, h), "EventDestroy", e.device, 0)
}
