package simulator

import (
	"testing"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

func TestCaptureRecordsInsteadOfRunning(t *testing.T) {
	r := newRig(t, Config{})
	p, s := r.alloc(8), r.stream()
	r.ok(r.StreamBeginCapture(r.ctx, s))
	r.set(p, 1, 4, s)
	r.set(p+4, 2, 4, s)
	capturing, result := r.StreamIsCapturing(r.ctx, s)
	r.ok(result)
	g, result := r.StreamEndCapture(r.ctx, s)
	r.ok(result)
	if !capturing || r.Step() {
		t.Error("it ran")
	}
	for range 2 {
		r.ok(r.MemsetD8(r.ctx, p, 0, 8))
		r.ok(r.CtxSynchronize(r.ctx))
		r.launchGraph(g, s)
		r.want(r.StreamQuery(r.ctx, s), abi.NotReady)
		r.ok(r.StreamSynchronize(r.ctx, s))
		r.holds(p, 1, 4)
		r.holds(p+4, 2, 4)
	}
	r.launchGraph(g, s)
	r.ok(r.GraphDestroy(g))
	r.want(r.GraphDestroy(g), abi.InvalidHandle)
	r.ok(r.StreamSynchronize(r.ctx, s))
}

func TestQueriesSpoilACapture(t *testing.T) {
	for name, test := range map[string]struct {
		ask  func(r *rig, s abi.Stream, e abi.Event) abi.Result
		want abi.Result
	}{
		"stream query": {func(r *rig, s abi.Stream, _ abi.Event) abi.Result { return r.StreamQuery(r.ctx, s) }, abi.StreamCaptureUnsupported},
		"stream sync":  {func(r *rig, s abi.Stream, _ abi.Event) abi.Result { return r.StreamSynchronize(r.ctx, s) }, abi.StreamCaptureUnsupported},
		"context sync": {func(r *rig, _ abi.Stream, _ abi.Event) abi.Result { return r.CtxSynchronize(r.ctx) }, abi.StreamCaptureUnsupported},
		"event query":  {func(r *rig, _ abi.Stream, e abi.Event) abi.Result { return r.EventQuery(r.ctx, e) }, abi.CapturedEvent},
		"event sync":   {func(r *rig, _ abi.Stream, e abi.Event) abi.Result { return r.EventSynchronize(r.ctx, e) }, abi.CapturedEvent},
	} {
		r := newRig(t, Config{})
		p, s, e := r.alloc(8), r.stream(), r.event()
		r.ok(r.StreamBeginCapture(r.ctx, s))
		r.ok(r.EventRecord(r.ctx, e, s))
		if got := test.ask(r, s, e); got != test.want {
			t.Errorf("%s: %d", name, got)
		}
		r.want(r.MemsetD8Async(r.ctx, p, 1, 8, s), abi.StreamCaptureInvalidated)
		_, result := r.StreamEndCapture(r.ctx, s)
		r.want(result, abi.StreamCaptureInvalidated)
		r.ok(r.StreamQuery(r.ctx, s)) // over
	}
}

func TestLegacyStreamAndCapture(t *testing.T) {
	r := newRig(t, Config{})
	p := r.alloc(8)
	s, result := r.StreamCreate(r.ctx, abi.StreamDefault, 0)
	r.ok(result)
	r.want(r.StreamBeginCapture(r.ctx, 0), abi.StreamCaptureUnsupported)
	r.ok(r.StreamBeginCapture(r.ctx, s))
	_, result = r.StreamIsCapturing(r.ctx, 0)
	r.want(result, abi.StreamCaptureImplicit)
	r.set(p, 1, 8, s) // still valid
	r.want(r.MemsetD8(r.ctx, p, 1, 8), abi.StreamCaptureImplicit)
	_, result = r.StreamEndCapture(r.ctx, s)
	r.want(result, abi.StreamCaptureInvalidated)
	free := r.stream()
	r.ok(r.StreamBeginCapture(r.ctx, free))
	r.ok(r.MemsetD8(r.ctx, p, 1, 8)) // not ordered with it
	_, result = r.StreamEndCapture(r.ctx, free)
	r.ok(result)
}

func TestForksHaveToJoin(t *testing.T) {
	r := newRig(t, Config{})
	p, a, b, e := r.alloc(8), r.stream(), r.stream(), r.event()
	r.ok(r.StreamBeginCapture(r.ctx, a))
	r.ok(r.EventRecord(r.ctx, e, a))
	r.ok(r.StreamWaitEvent(r.ctx, b, e))
	r.set(p, 1, 8, b)
	_, result := r.StreamEndCapture(r.ctx, b)
	r.want(result, captureUnmatched)
	_, result = r.StreamEndCapture(r.ctx, a)
	r.want(result, abi.StreamCaptureInvalidated)

	r.ok(r.StreamBeginCapture(r.ctx, a))
	r.ok(r.EventRecord(r.ctx, e, a))
	r.ok(r.StreamWaitEvent(r.ctx, b, e))
	r.set(p, 1, 8, b)
	_, result = r.StreamEndCapture(r.ctx, a)
	r.want(result, abi.StreamCaptureUnjoined)
	r.ok(r.StreamQuery(r.ctx, b))
}

func TestCaptureIsApart(t *testing.T) {
	r := newRig(t, Config{})
	p, a, b, e := r.alloc(8), r.stream(), r.stream(), r.event()
	r.set(p, 1, 8, b)
	r.ok(r.EventRecord(r.ctx, e, b))
	r.ok(r.StreamBeginCapture(r.ctx, a))
	r.want(r.StreamWaitEvent(r.ctx, a, e), captureIsolation)
	_, result := r.StreamEndCapture(r.ctx, a)
	r.want(result, abi.StreamCaptureInvalidated)
	_, result = r.StreamEndCapture(r.ctx, a)
	r.want(result, abi.IllegalState)
}

// A stream that is destroyed leaves no capture behind that would restrict others.
func TestDestroyedStreamEndsItsCapture(t *testing.T) {
	r := newRig(t, Config{})
	p, joined, e := r.alloc(8), r.stream(), r.event()
	origin, result := r.StreamCreate(r.ctx, abi.StreamDefault, 0)
	r.ok(result)
	r.ok(r.StreamBeginCapture(r.ctx, origin))
	r.ok(r.EventRecord(r.ctx, e, origin))
	r.ok(r.StreamWaitEvent(r.ctx, joined, e))
	r.ok(r.StreamDestroy(r.ctx, origin))
	r.ok(r.MemsetD8(r.ctx, p, 1, 8)) // on the legacy stream, which would have waited for the other
	r.set(p, 2, 8, joined)
	r.ok(r.StreamSynchronize(r.ctx, joined))
	r.want(r.StreamWaitEvent(r.ctx, joined, e), abi.CapturedEvent)
}

func TestDestroyedStreamSpoilsTheCaptureItJoined(t *testing.T) {
	r := newRig(t, Config{})
	origin, joined, e := r.stream(), r.stream(), r.event()
	r.ok(r.StreamBeginCapture(r.ctx, origin))
	r.ok(r.EventRecord(r.ctx, e, origin))
	r.ok(r.StreamWaitEvent(r.ctx, joined, e))
	r.ok(r.StreamDestroy(r.ctx, joined))
	_, result := r.StreamEndCapture(r.ctx, origin)
	r.want(result, abi.StreamCaptureInvalidated)
	r.ok(r.StreamQuery(r.ctx, origin))
}
