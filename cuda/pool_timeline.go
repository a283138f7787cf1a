package cuda

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/runtime"
)

// timeline is the runtime.Timeline of a device: marks are events, made once and used again. All pools of a device share it.
// Safe for concurrent use.
type timeline struct {
	site

	mu       sync.Mutex
	spare    []abi.Event
	own      abi.Stream // for what pools do themselves; 0: none yet
	users    int        // pools that are bound to the device
	watchers map[int]func(runtime.Stream)
	watched  int // how many there have been
}

// timelines are those of the devices, made when a pool first needs one.
var timelines struct {
	mu sync.Mutex
	of map[Device]*timeline
}

// timeline returns that of the device, for one more pool.
func (at site) timeline() *timeline {
	timelines.mu.Lock()
	defer timelines.mu.Unlock()
	t := timelines.of[at.dev]
	if t == nil {
		t = &timeline{site: at, watchers: map[int]func(runtime.Stream){}}
		if timelines.of == nil {
			timelines.of = map[Device]*timeline{}
		}
		timelines.of[at.dev] = t
	}
	t.users++
	return t
}

// leave returns a function that ends the use by one pool, once.
func (t *timeline) leave() func() error {
	return func() error {
		timelines.mu.Lock()
		defer timelines.mu.Unlock()
		t.users--
		return nil
	}
}

// sweep gives back the events and the stream if no pool uses them any more. What the driver does not take is kept for the next sweep.
func (t *timeline) sweep() error {
	timelines.mu.Lock()
	defer timelines.mu.Unlock()
	if t.users > 0 {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	var errs []error
	var kept []abi.Event
	for _, e := range t.spare {
		if err := check(t.drv.EventDestroy(t.ctx, e), "EventDestroy", t.dev, 0); err != nil {
			errs, kept = append(errs, err), append(kept, e)
		}
	}
	t.spare = kept
	if t.own != 0 {
		err := check(t.drv.StreamDestroy(t.ctx, t.own), "StreamDestroy", t.dev, 0)
		if err == nil {
			t.own = 0
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// clear clears memory of the device that nothing is at work with, and returns when it is clear.
func (t *timeline) clear(c runtime.Chunk) error {
	s, err := t.stream()
	if err != nil {
		return err
	}
	if err := check(t.drv.MemsetD8Async(t.ctx, abi.Ptr(c.Addr), 0, uint64(c.Size), s), "MemsetD8Async", t.dev, c.Size); err != nil {
		return err
	}
	if err := check(t.drv.StreamSynchronize(t.ctx, s), "StreamSynchronize", t.dev, 0); err != nil {
		// The memory goes back to where it came from, so the work must not be left behind.
		return errors.Join(err, check(t.drv.CtxSynchronize(t.ctx), "CtxSynchronize", t.dev, 0))
	}
	return nil
}

// stream returns the stream for what pools do themselves. It takes no notice of the work of others.
func (t *timeline) stream() (abi.Stream, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.own != 0 {
		return t.own, nil
	}
	s, r := t.drv.StreamCreate(t.ctx, abi.StreamNonBlocking, 0)
	if r != abi.Success {
		return 0, check(r, "StreamCreate", t.dev, 0)
	}
	t.own = s
	return s, nil
}

// Record puts an event on the stream.
func (t *timeline) Record(s runtime.Stream) (runtime.Mark, error) {
	if Device(s.Device) != t.dev {
		return 0, refuse("EventRecord", t.dev, 0, fmt.Sprintf("the stream is of device %d", s.Device))
	}
	e, err := t.event()
	if err != nil {
		return 0, err
	}
	if err := t.recordOn(e, s); err != nil {
		return 0, errors.Join(err, check(t.drv.EventDestroy(t.ctx, e), "EventDestroy", t.dev, 0)) // it may be what is wrong
	}
	return runtime.Mark(e), nil
}

// recordOn records the event, if the stream is not being captured: an event of a graph does not say when work is done.
func (t *timeline) recordOn(e abi.Event, s runtime.Stream) error {
	h := abi.Stream(s.Handle)
	if capturing, r := t.drv.StreamIsCapturing(t.ctx, h); r == abi.Success && capturing {
		return failure(abi.StreamCaptureUnsupported, "EventRecord", t.dev, 0, "the stream is being captured")
	}
	if t.isGone(s) {
		return t.recordAll(e)
	}
	return check(t.drv.EventRecord(t.ctx, e, h), "EventRecord", t.dev, 0)
}

// isGone reports whether the stream was destroyed: the driver does not know the handle any more, or gave it to another.
func (t *timeline) isGone(s runtime.Stream) bool {
	if s.Handle == 0 {
		return false
	}
	id, r := t.drv.StreamGetID(t.ctx, abi.Stream(s.Handle))
	return r != abi.NoFunction && (r != abi.Success || id != s.ID)
}

// recordAll stands in for a stream that was destroyed: its work goes on without it, and only the whole device
// can be waited for.
func (t *timeline) recordAll(e abi.Event) error {
	if r := t.drv.CtxSynchronize(t.ctx); r != abi.Success {
		return check(r, "CtxSynchronize", t.dev, 0)
	}
	return check(t.drv.EventRecord(t.ctx, e, 0), "EventRecord", t.dev, 0)
}

// Done asks whether the event has been passed.
func (t *timeline) Done(m runtime.Mark) (bool, error) {
	r := t.drv.EventQuery(t.ctx, abi.Event(m))
	if r == abi.NotReady {
		return false, nil
	}
	return r == abi.Success, check(r, "EventQuery", t.dev, 0)
}

// Wait makes the stream, which may be of another device, wait for the event.
func (t *timeline) Wait(s runtime.Stream, m runtime.Mark) error {
	_, ctx, err := Device(s.Device).table()
	if err != nil {
		return err
	}
	return check(t.drv.StreamWaitEvent(ctx, abi.Stream(s.Handle), abi.Event(m)), "StreamWaitEvent", t.dev, 0)
}

// Sync waits for the event.
func (t *timeline) Sync(m runtime.Mark) error {
	return check(t.drv.EventSynchronize(t.ctx, abi.Event(m)), "EventSynchronize", t.dev, 0)
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
	e, r := t.drv.EventCreate(t.ctx, abi.EventDisableTiming)
	if r != abi.Success {
		return 0, check(r, "EventCreate", t.dev, 0)
	}
	return e, nil
}

// Watch has f called with each stream that [Stream.Close] is about to destroy.
func (t *timeline) Watch(f func(runtime.Stream)) (stop func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.watched++
	id := t.watched
	t.watchers[id] = f
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.watchers, id)
	}
}

// leave tells the pools of the stream's device that it ends: they mark what was freed on it.
func (s Stream) leave() {
	timelines.mu.Lock()
	t := timelines.of[s.device]
	timelines.mu.Unlock()
	if t == nil {
		return
	}
	t.mu.Lock()
	watchers := slices.Collect(maps.Values(t.watchers))
	t.mu.Unlock()
	for _, f := range watchers {
		f(s.Key())
	}
}

// Key names the stream to a pool.
func (s Stream) Key() runtime.Stream {
	return runtime.Stream{Handle: s.handle, ID: s.id, Device: int32(s.device)}
}
