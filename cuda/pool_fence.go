package cuda

import (
	"github.com/poolgen/poolgen/cuda/internal/abi"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Record records an event on the stream, unless the stream has no work left. The event of a stream of another device that can access the memory is an
// event of that device.
func (t *timeline) Record(s poolimpl.Stream) (poolimpl.Fence, error) {
	at, err := t.of(s)
	if err != nil {
		return 0, err
	}
	h := abi.Stream(s.Handle)
	if err := at.captured(h, "EventRecord"); err != nil {
		return 0, err // an event of a graph does not say when work is done
	}
	gone, err := at.isGone(s)
	if err != nil {
		return 0, err
	}
	if !gone && at.drv.StreamQuery(at.ctx, h) == abi.Success {
		return poolimpl.Passed, nil
	}
	e, err := t.event(*at)
	if err != nil {
		return 0, err
	}
	record := at.recordOn
	if gone {
		record = at.recordAll
	}
	if err := record(e, h); err != nil {
		t.useOnce(e, *at) // it may be the cause
		return poolimpl.Fence(e), err
	}
	if at.dev != t.dev {
		t.useOnce(e, *at)
	}
	return poolimpl.Fence(e), nil
}

// of returns the site of a stream of any device; nil with an error. It is inlined.
func (s *site) of(on poolimpl.Stream) (at *site, err error) {
	if at = s; on.Device != int32(s.dev) {
		at, err = siteOf(on)
	}
	return at, err
}

// siteOf returns the site of a stream; nil with an error.
//
//go:noinline
func siteOf(s poolimpl.Stream) (*site, error) {
	d := Device(s.Device)
	drv, ctx, err := d.table()
	if err != nil {
		return nil, err
	}
	return &site{drv: drv, dev: d, ctx: ctx}, nil
}

// useOnce notes that an event of a device is destroyed when it is released.
func (t *timeline) useOnce(e abi.Event, at site) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.once == nil {
		t.once = map[abi.Event]site{}
	}
	t.once[e] = at
}

// siteOf returns the site of a fence's event.
func (t *timeline) siteOf(fence poolimpl.Fence) site {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at, ok := t.once[abi.Event(fence)]; ok {
		return at
	}
	return t.site
}

// destroy destroys an event.
func (s site) destroy(e abi.Event) error {
	return check(s.drv.EventDestroy(s.ctx, e), "EventDestroy", s.dev, 0)
}

// recordOn records the event on a stream.
func (s site) recordOn(e abi.Event, h abi.Stream) error {
	return check(s.drv.EventRecord(s.ctx, e, h), "EventRecord", s.dev, 0)
}

// captured refuses a call that would be captured, or would invalidate a capture.
func (s site) captured(h abi.Stream, op string) error {
	capturing, r := s.drv.StreamIsCapturing(s.ctx, h)
	detail := "the stream is being captured"
	switch {
	case capturing:
	case r == abi.StreamCaptureImplicit:
		detail = "a stream is being captured that this default stream would wait for"
	case r == abi.NoFunction || unknownStream(r):
		return nil
	default:
		return check(r, "StreamIsCapturing", s.dev, 0)
	}
	return &Error{Op: op, Code: ResultStreamCaptureUnsupported, Device: s.dev, Detail: detail, kind: poolrt.ErrUnsupported}
}

// isGone reports whether the stream was destroyed: the driver no longer knows the handle, or has given it to another stream.
func (s site) isGone(of poolimpl.Stream) (bool, error) {
	if of.Handle == 0 {
		return false, nil
	}
	switch id, r := s.drv.StreamGetID(s.ctx, abi.Stream(of.Handle)); {
	case r == abi.NoFunction:
		return false, nil
	case unknownStream(r), r == abi.Success && id != of.ID:
		keptStreams.forget(of.Handle)
		return true, nil
	default:
		return false, check(r, "StreamGetId", s.dev, 0)
	}
}

// unknownStream reports whether a result means that there is no such stream: it was destroyed.
func unknownStream(r abi.Result) bool { return r == abi.InvalidHandle || r == abi.ContextIsDestroyed }

// recordAll replaces the recording on a stream that was destroyed: its work continues, and only a wait for the whole device covers it.
func (s site) recordAll(e abi.Event, _ abi.Stream) error {
	if err := s.syncAll(); err != nil {
		return err
	}
	return s.recordOn(e, 0)
}

// syncAll waits for all work of the device.
func (s site) syncAll() error {
	if captures.under.Load() != 0 { // the capture would be invalidated
		return &Error{Op: "CtxSynchronize", Code: ResultStreamCaptureUnsupported, Device: s.dev, Detail: "a stream is being captured", kind: poolrt.ErrUnsupported}
	}
	return check(s.drv.CtxSynchronize(s.ctx), "CtxSynchronize", s.dev, 0)
}

// Done reports whether the event has been passed.
func (t *timeline) Done(fence poolimpl.Fence) (bool, error) {
	if fence == poolimpl.Passed {
		return true, nil
	}
	at := t.siteOf(fence)
	r := at.drv.EventQuery(at.ctx, abi.Event(fence))
	if r == abi.NotReady {
		return false, nil
	}
	return r == abi.Success, check(r, "EventQuery", at.dev, 0)
}

// Wait makes the stream, which may be of another device, wait for the event.
func (t *timeline) Wait(s poolimpl.Stream, fence poolimpl.Fence) error {
	if fence == poolimpl.Passed {
		return nil
	}
	at, err := t.of(s)
	if err != nil {
		return err
	}
	if err := at.captured(abi.Stream(s.Handle), "StreamWaitEvent"); err != nil {
		return err
	}
	return check(at.drv.StreamWaitEvent(at.ctx, abi.Stream(s.Handle), abi.Event(fence)), "StreamWaitEvent", at.dev, 0)
}

// Sync waits for the event.
func (t *timeline) Sync(fence poolimpl.Fence) error {
	if fence == poolimpl.Passed {
		return nil
	}
	at := t.siteOf(fence)
	return check(at.drv.EventSynchronize(at.ctx, abi.Event(fence)), "EventSynchronize", at.dev, 0)
}

// Release keeps the event for the next fence, or destroys it.
func (t *timeline) Release(fence poolimpl.Fence) error {
	if fence == poolimpl.Passed {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.renew() {
		return nil // the event went, too
	}
	e := abi.Event(fence)
	at, once := t.once[e]
	if !once {
		t.spare = append(t.spare, e)
		return nil
	}
	if err := unlessGone(at.destroy(e)); err != nil {
		return err
	}
	delete(t.once, e)
	return nil
}
