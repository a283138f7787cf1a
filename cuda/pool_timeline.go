package cuda

import (
	"errors"
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
	guests   map[abi.Event]site // events of other devices, which do not last
	owed     ending             // gives back what nobody uses any more
	own      abi.Stream         // for what pools do themselves; 0: none yet
	users    int                // pools that are bound to the device
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

// sweep gives back the events and the stream if no pool uses them any more. What the driver does not take is left for the next sweep.
func (t *timeline) sweep() error {
	timelines.mu.Lock()
	defer timelines.mu.Unlock()
	if t.users > 0 {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range t.spare {
		t.owe(func() error { return t.destroy(e) })
	}
	if s := t.own; s != 0 {
		t.owe(func() error { return check(t.drv.StreamDestroy(t.ctx, s), "StreamDestroy", t.dev, 0) })
	}
	t.spare, t.own = nil, 0
	return t.owed.run()
}

// owe notes something to be destroyed. It is never used again, and no error if it is found to be gone.
func (t *timeline) owe(destroy func() error) {
	t.owed.steps = append(t.owed.steps, func() error {
		err := destroy()
		if e, ok := err.(*Error); ok && e.Code == Result(abi.InvalidHandle) {
			return nil
		}
		return err
	})
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

// Record puts an event on the stream. A stream of another device, which works with memory that it can reach, gets an event of that
// device.
func (t *timeline) Record(s runtime.Stream) (runtime.Mark, error) {
	at := t.site
	if d := Device(s.Device); d != t.dev {
		drv, ctx, err := d.table()
		if err != nil {
			return 0, err
		}
		at = site{drv: drv, dev: d, ctx: ctx}
	}
	e, err := t.event(at)
	if err != nil {
		return 0, err
	}
	if err := at.recordOn(e, s); err != nil {
		return 0, errors.Join(err, at.destroy(e)) // it may be what is wrong
	}
	if at.dev != t.dev {
		t.invite(e, at)
	}
	return runtime.Mark(e), nil
}

// invite notes where an event of another device belongs.
func (t *timeline) invite(e abi.Event, at site) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.guests == nil {
		t.guests = map[abi.Event]site{}
	}
	t.guests[e] = at
}

// home is where a mark's event belongs.
func (t *timeline) home(m runtime.Mark) site {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at, ok := t.guests[abi.Event(m)]; ok {
		return at
	}
	return t.site
}

// destroy takes an event away.
func (s site) destroy(e abi.Event) error {
	return check(s.drv.EventDestroy(s.ctx, e), "EventDestroy", s.dev, 0)
}

// recordOn records the event, if the stream is not being captured: an event of a graph does not say when work is done.
func (s site) recordOn(e abi.Event, of runtime.Stream) error {
	h := abi.Stream(of.Handle)
	if err := s.captured(h, "EventRecord"); err != nil {
		return err
	}
	if s.isGone(of) {
		return s.recordAll(e)
	}
	return check(s.drv.EventRecord(s.ctx, e, h), "EventRecord", s.dev, 0)
}

// captured refuses a call that would be captured, or spoil a capture.
func (s site) captured(h abi.Stream, op string) error {
	capturing, r := s.drv.StreamIsCapturing(s.ctx, h)
	if !capturing && r != abi.StreamCaptureImplicit {
		return nil
	}
	detail := "the stream is being captured"
	if !capturing {
		detail = "a stream is being captured that this default stream would wait for"
	}
	return &Error{Op: op, Code: ResultStreamCaptureUnsupported, Device: s.dev, Detail: detail, kind: runtime.ErrUnsupported}
}

// isGone reports whether the stream was destroyed: the driver does not know the handle any more, or gave it to another.
func (s site) isGone(of runtime.Stream) bool {
	if of.Handle == 0 {
		return false
	}
	id, r := s.drv.StreamGetID(s.ctx, abi.Stream(of.Handle))
	return r != abi.NoFunction && (r != abi.Success || id != of.ID)
}

// recordAll stands in for a stream that was destroyed: its work goes on without it, and only the whole device
// can be waited for.
func (s site) recordAll(e abi.Event) error {
	if captures.under.Load() != 0 { // it would be spoilt
		return &Error{Op: "CtxSynchronize", Code: ResultStreamCaptureUnsupported, Device: s.dev, Detail: "a stream is being captured", kind: runtime.ErrUnsupported}
	}
	if r := s.drv.CtxSynchronize(s.ctx); r != abi.Success {
		return check(r, "CtxSynchronize", s.dev, 0)
	}
	return check(s.drv.EventRecord(s.ctx, e, 0), "EventRecord", s.dev, 0)
}

// Done asks whether the event has been passed.
func (t *timeline) Done(m runtime.Mark) (bool, error) {
	at := t.home(m)
	r := at.drv.EventQuery(at.ctx, abi.Event(m))
	if r == abi.NotReady {
		return false, nil
	}
	return r == abi.Success, check(r, "EventQuery", at.dev, 0)
}

// Wait makes the stream, which may be of another device, wait for the event.
func (t *timeline) Wait(s runtime.Stream, m runtime.Mark) error {
	_, ctx, err := Device(s.Device).table()
	if err != nil {
		return err
	}
	at := site{drv: t.drv, dev: Device(s.Device), ctx: ctx}
	if err := at.captured(abi.Stream(s.Handle), "StreamWaitEvent"); err != nil {
		return err
	}
	return check(t.drv.StreamWaitEvent(ctx, abi.Stream(s.Handle), abi.Event(m)), "StreamWaitEvent", t.dev, 0)
}

// Sync waits for the event.
func (t *timeline) Sync(m runtime.Mark) error {
	at := t.home(m)
	return check(at.drv.EventSynchronize(at.ctx, abi.Event(m)), "EventSynchronize", at.dev, 0)
}

// Forget keeps the event for the next mark.
func (t *timeline) Forget(m runtime.Mark) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := abi.Event(m)
	if at, ok := t.guests[e]; ok {
		delete(t.guests, e)
		t.owe(func() error { return at.destroy(e) }) // it is of no use to anybody
		_ = t.owed.run()
		return
	}
	t.spare = append(t.spare, e)
}

// event returns one of a device that nobody uses.
func (t *timeline) event(at site) (abi.Event, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.spare); n > 0 && at.dev == t.dev {
		e := t.spare[n-1]
		t.spare = t.spare[:n-1]
		return e, nil
	}
	e, r := at.drv.EventCreate(at.ctx, abi.EventDisableTiming)
	if r != abi.Success {
		return 0, check(r, "EventCreate", at.dev, 0)
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

// leave tells the pools of the stream's device that it ends, or cannot be marked for a while: they mark what was freed on it.
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
