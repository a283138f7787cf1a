package cuda

import (
	"errors"
	"sync/atomic"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/driver"
	"github.com/poolgen/poolgen/cuda/nvtx"
)

// Stream is a queue of work of a device, which runs in order. It is a small value that can be copied and compared. The zero
// Stream is the legacy default stream of device 0, which waits for all other streams of the device and makes them wait,
// except those made with [NonBlocking].
type Stream struct {
	handle uintptr
	id     uint64
	device Device
}

// A StreamOption is an option of NewStream.
type StreamOption func(*streamOptions)

type streamOptions struct {
	flags    uint32
	priority int32
}

// NonBlocking makes a stream that neither waits for the legacy default stream nor makes it wait. Most programs with streams use it.
func NonBlocking(o *streamOptions) { o.flags |= abi.StreamNonBlocking }

// WithPriority makes a stream whose kernels run before those of streams with a higher number; 0 is usual, -1 to about -5 come first. The driver
// replaces a number out of range with the nearest in range.
func WithPriority(n int) StreamOption { return func(o *streamOptions) { o.priority = int32(n) } }

// NewStream makes a stream. It takes some tens of microseconds.
func (d Device) NewStream(opts ...StreamOption) (Stream, error) {
	t, ctx, err := d.table()
	if err != nil {
		return Stream{}, err
	}
	var o streamOptions
	for _, opt := range opts {
		opt(&o)
	}
	h, r := t.StreamCreate(ctx, o.flags, o.priority)
	if r != abi.Success {
		return Stream{}, failure(r, "StreamCreate", d, 0, "")
	}
	id, r := t.StreamGetID(ctx, h)
	switch r {
	case abi.Success:
	case abi.NoFunction:
		id = madeHere | streamsMade.Add(1)
	default:
		at := site{drv: t, dev: d, ctx: ctx}
		at.timeline().end(func() error { return check(t.StreamDestroy(ctx, h), "StreamDestroy", d, 0) })
		return Stream{}, failure(r, "StreamGetId", d, 0, "")
	}
	return Stream{handle: uintptr(h), id: id, device: d}, nil
}

// Drivers before CUDA 12 give streams no number. These bits distinguish poolgen's own numbers from the driver's.
const (
	madeHere     = 1 << 63 // a count
	adopted      = 1 << 62 // the handle
	otherDefault = 3 << 62 // the device
)

var streamsMade atomic.Uint64

// DefaultStream returns the legacy default stream of the device.
func (d Device) DefaultStream() (Stream, error) {
	if d == 0 {
		return Stream{}, Probe()
	}
	if _, _, err := d.table(); err != nil {
		return Stream{}, err
	}
	return d.legacyStream(), nil
}

// legacyStream is DefaultStream of a device that exists.
func (d Device) legacyStream() Stream {
	if d == 0 {
		return Stream{}
	}
	return Stream{id: otherDefault | uint64(d), device: d}
}

// Handle returns the driver's handle (CUstream); 0 is the legacy default stream.
func (s Stream) Handle() uintptr { return s.handle }

// ID returns a number that no other stream of the process has or will have. (With a driver before CUDA 12, an adopted stream and a
// later stream with the same handle have the same number.) ID costs nothing: the number was read when the stream was made.
func (s Stream) ID() uint64 { return s.id }

// SetName names the stream in the profile of package [github.com/poolgen/poolgen/cuda/nvtx].
func (s Stream) SetName(name string) { nvtx.NameStream(s.handle, name) }

// Device returns the device of the stream.
func (s Stream) Device() Device { return s.device }

// table returns the function table and the context of the stream's device, and the handle.
func (s Stream) table() (abi.Driver, abi.Context, abi.Stream, error) {
	t, ctx, err := s.device.table()
	return t, ctx, abi.Stream(s.handle), err
}

// Query reports whether all work of the stream is done. Querying a stream that is capturing is an error and invalidates the
// capture. An error may be that of earlier work on the device.
func (s Stream) Query() (done bool, err error) {
	t, ctx, h, err := s.table()
	if err != nil {
		return false, err
	}
	r := t.StreamQuery(ctx, h)
	if r == abi.NotReady {
		return false, nil
	}
	return r == abi.Success, check(r, "StreamQuery", s.device, 0)
}

// Synchronize waits until all work of the stream is done. It blocks a thread meanwhile.
func (s Stream) Synchronize() error {
	t, ctx, h, err := s.table()
	if err != nil {
		return err
	}
	return check(t.StreamSynchronize(ctx, h), "StreamSynchronize", s.device, 0)
}

// Wait makes work that is queued on the stream from now on wait for the last recording of e, on any device. The caller does not wait. An event that
// was never recorded is ignored.
func (s Stream) Wait(e Event) error {
	t, ctx, h, err := s.table()
	if err != nil {
		return err
	}
	return check(t.StreamWaitEvent(ctx, h, abi.Event(e.handle)), "StreamWaitEvent", s.device, 0)
}

// WaitFor makes work that is queued on the stream from now on wait for the work that the others, of any devices, have by now. The caller does not wait, nor do the
// others. A stream that has no other work stands for all that it waits for: a block that several streams use is freed on it, and none of them has to wait for
// another. It takes some microseconds.
func (s Stream) WaitFor(others ...Stream) error {
	for _, other := range others {
		if other == s {
			continue
		}
		e, err := other.device.NewEvent()
		if err != nil {
			return err
		}
		if err = e.Record(other); err == nil {
			err = s.Wait(e)
		}
		if err = errors.Join(err, e.Close()); err != nil {
			return err
		}
	}
	return nil
}

// Close destroys a stream of NewStream. Its work is still completed, and pools then reclaim the blocks that were freed on it. A capture that it began
// is lost. Closing an adopted stream destroys the owner's stream; a default stream cannot be closed.
func (s Stream) Close() error {
	if s.handle == 0 {
		return refuse("StreamDestroy", s.device, 0, "a default stream cannot be closed")
	}
	t, ctx, h, err := s.table()
	if err != nil {
		return err
	}
	s.leave()
	r := t.StreamDestroy(ctx, h)
	if r == abi.Success {
		keptStreams.forget(s.handle)
		s.noteCaptureEnd().drop()
	}
	return check(r, "StreamDestroy", s.device, 0)
}

// AdoptStream returns a Stream for the handle (CUstream or cudaStream_t) of a stream that another binding made and owns. It
// must have been made in the device's primary context, as all streams of the CUDA runtime are. 0 is the legacy default stream
// of the current device; while a context other than the primary one is current on the thread, it is refused, because that context has a default stream
// of its own. Both errors have the code [ResultInvalidContext]. The per-thread default stream cannot be adopted: a goroutine does not stay on a thread.
// AdoptStream takes some microseconds; keep what it returns, or call [StreamOf].
func AdoptStream(handle uintptr) (Stream, error) {
	if err := Probe(); err != nil {
		return Stream{}, err
	}
	switch abi.Stream(handle) {
	case 0, abi.LegacyStream:
		d, err := currentPrimary()
		if err != nil {
			return Stream{}, err
		}
		return d.DefaultStream()
	case abi.PerThreadStream:
		return Stream{}, refuse("StreamGetCtx", nowhere, 0, "the per-thread default stream belongs to a thread, which a goroutine may leave")
	}
	return adopt(driver.Table(), abi.Stream(handle))
}
