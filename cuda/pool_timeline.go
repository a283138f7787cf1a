package cuda

import (
	"sync"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/runtime"
)

// timeline is the runtime.Timeline of a device: marks are events, made once and used again. All pools of a device share it.
// Safe for concurrent use.
type timeline struct {
	dev Device
	ctx abi.Context

	mu    sync.Mutex
	spare []abi.Event
	made  int // events that exist
}

// Record puts an event on the stream. The stream may be of any device.
func (t *timeline) Record(s runtime.Stream) (runtime.Mark, error) {
	e, err := t.event()
	if err != nil {
		return 0, err
	}
	if err := t.recordOn(e, s); err != nil {
		t.Forget(runtime.Mark(e))
		return 0, err
	}
	return runtime.Mark(e), nil
}

// recordOn records the event, if the stream is not being captured: an event of a graph says nothing of when work is done.
func (t *timeline) recordOn(e abi.Event, s runtime.Stream) error {
	h := abi.Stream(s.Handle)
	capturing, r := table().StreamIsCapturing(t.ctx, h)
	if r == abi.Success && capturing {
		return failed("cuEventRecord", abi.StreamCaptureUnsupported, t.dev, 0)
	}
	id, r := table().StreamGetID(t.ctx, h)
	if r == abi.Success && (s.ID == 0 || id == s.ID) {
		if r = table().EventRecord(t.ctx, e, h); r == abi.Success {
			return nil
		}
	}
	return t.recordAll(e)
}

// recordAll stands in for a stream that was destroyed: its work goes on without it, and only the whole device
// can be waited for.
func (t *timeline) recordAll(e abi.Event) error {
	if r := table().CtxSynchronize(t.ctx); r != abi.Success {
		return failed("cuCtxSynchronize", r, t.dev, 0)
	}
	return failed("cuEventRecord", table().EventRecord(t.ctx, e, 0), t.dev, 0)
}

// Done asks whether the event has been passed.
func (t *timeline) Done(m runtime.Mark) (bool, error) {
	switch r := table().EventQuery(t.ctx, abi.Event(m)); r {
	case abi.Success:
		return true, nil
	case abi.NotReady:
		return false, nil
	default:
		return false, failed("cuEventQuery", r, t.dev, 0)
	}
}

// Wait makes the stream wait for the event.
func (t *timeline) Wait(s runtime.Stream, m runtime.Mark) error {
	return failed("cuStreamWaitEvent", table().StreamWaitEvent(t.ctx, abi.Stream(s.Handle), abi.Event(m)), t.dev, 0)
}

// Sync waits for the event.
func (t *timeline) Sync(m runtime.Mark) error {
	return failed("cuEventSynchronize", table().EventSynchronize(t.ctx, abi.Event(m)), t.dev, 0)
}

// Forget keeps the event for the next mark.
func (t *timeline) Forget(m runtime.Mark) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.spare = append(t.spare, abi.Event(m))
}

// event returns one that nobody uses.
func (t *timeline) event() (abi.Event, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.spare); n > 0 {
		e := t.spare[n-1]
		t.spare = t.spare[:n-1]
		return e, nil
	}
	e, r := table().EventCreate(t.ctx, abi.EventDisableTiming)
	if r != abi.Success {
		return 0, failed("cuEventCreate", r, t.dev, 0)
	}
	t.made++
	return e, nil
}
