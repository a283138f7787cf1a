package simulator

import (
	"testing"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// freedOn makes a stream with flags, hands out memory to it, fills it there, takes it back, and destroys the stream.
func (r *rig) freedOn(flags uint32, p abi.Ptr, before func(abi.Stream)) {
	r.t.Helper()
	s, result := r.StreamCreate(r.ctx, flags, 0)
	r.ok(result)
	r.ok(r.HandOut(p, 100, r.ctx, s))
	r.set(p, 1, 100, s)
	r.ok(r.TakeBack(p, 100, r.ctx, s))
	before(s)
	r.ok(r.StreamDestroy(r.ctx, s))
}

// What orders the work of a stream that was destroyed before other work, and what does not. The work of the stream is done or still queued when the
// stream is destroyed, and the simulator lets go of a stream with no work left when the next one is made.
func TestEndedStreamsKeepTheirOrder(t *testing.T) {
	const nonBlocking, blocking = abi.StreamNonBlocking, abi.StreamDefault
	for name, test := range map[string]struct {
		flags  uint32
		after  func(*rig, abi.Event)
		hazard bool
	}{
		"nothing":                         {nonBlocking, func(*rig, abi.Event) {}, true},
		"luck":                            {nonBlocking, func(r *rig, _ abi.Event) { r.RunAll() }, true},
		"context":                         {nonBlocking, func(r *rig, _ abi.Event) { r.ok(r.CtxSynchronize(r.ctx)) }, false},
		"context, later":                  {nonBlocking, func(r *rig, _ abi.Event) { r.stream(); r.ok(r.CtxSynchronize(r.ctx)) }, false},
		"another context":                 {nonBlocking, func(r *rig, _ abi.Event) { r.ok(r.CtxSynchronize(r.retain(1))) }, true},
		"free":                            {nonBlocking, func(r *rig, _ abi.Event) { r.ok(r.MemFree(r.ctx, r.alloc(8))) }, false},
		"event":                           {nonBlocking, func(r *rig, e abi.Event) { r.ok(r.EventSynchronize(r.ctx, e)) }, false},
		"query of the event":              {nonBlocking, func(r *rig, e abi.Event) { r.RunAll(); r.ok(r.EventQuery(r.ctx, e)) }, false},
		"another stream":                  {nonBlocking, func(r *rig, _ abi.Event) { r.ok(r.StreamSynchronize(r.ctx, r.stream())) }, true},
		"a stream that waits":             {nonBlocking, waiting, false},
		"legacy, and one that ignores it": {nonBlocking, func(r *rig, _ abi.Event) { r.ok(r.StreamSynchronize(r.ctx, 0)) }, true},
		"legacy":                          {blocking, func(r *rig, _ abi.Event) { r.ok(r.StreamSynchronize(r.ctx, 0)) }, false},
		"query of legacy":                 {blocking, func(r *rig, _ abi.Event) { r.RunAll(); r.ok(r.StreamQuery(r.ctx, 0)) }, false},
		"copy on legacy": {blocking, func(r *rig, _ abi.Event) {
			var b [8]byte
			r.ok(r.MemcpyHtoD(r.ctx, r.alloc(8), hostOf(b[:]), 8))
		}, false},
	} {
		for _, pending := range []bool{false, true} {
			for _, recycle := range []bool{false, true} {
				r := newRig(t, Config{Hazards: true, Recycle: recycle})
				p, e := r.alloc(100), r.event()
				r.freedOn(test.flags, p, func(s abi.Stream) {
					r.ok(r.EventRecord(r.ctx, e, s))
					if !pending {
						r.ok(r.Run(r.ctx, s))
					}
				})
				r.stream() // lets go of the stream, and gets its handle with recycle
				test.after(r, e)
				r.ok(r.HandOut(p, 100, 0, 0))
				if n := len(r.Hazards()); (n > 0) != test.hazard {
					t.Errorf("%s, pending %v, recycle %v: %d hazards", name, pending, recycle, n)
				}
			}
		}
	}
}

// waiting makes a stream wait for an event, and waits for that stream.
func waiting(r *rig, e abi.Event) {
	s := r.stream()
	r.ok(r.StreamWaitEvent(r.ctx, s, e))
	r.ok(r.StreamSynchronize(r.ctx, s))
}

// Work of the legacy default stream comes after that of blocking streams, also destroyed ones. Work of a stream that ignores it does not.
func TestLegacyStreamFollowsEndedStreams(t *testing.T) {
	for _, flags := range []uint32{abi.StreamDefault, abi.StreamNonBlocking} {
		r := newRig(t, Config{Hazards: true})
		p := r.alloc(100)
		r.freedOn(flags, p, func(s abi.Stream) { r.ok(r.Run(r.ctx, s)) })
		r.stream()
		r.ok(r.HandOut(p, 100, r.ctx, 0))
		r.set(p, 2, 100, 0)
		if n := len(r.Hazards()); (n > 0) != (flags == abi.StreamNonBlocking) {
			t.Errorf("flags %d: %d hazards", flags, n)
		}
	}
}

// A hundred streams in turn share memory, each after a synchronization of the context: the checker finds nothing and needs few axes.
func TestManyEndedStreams(t *testing.T) {
	r := newRig(t, Config{Hazards: true, Schedule: 3, Recycle: true})
	p := r.alloc(100)
	for range 100 {
		r.freedOn(abi.StreamNonBlocking, p, func(abi.Stream) {})
		r.ok(r.CtxSynchronize(r.ctx))
	}
	if found := r.Hazards(); len(found) > 0 {
		t.Error(found[0])
	}
	if r.axes > 10 {
		t.Errorf("%d axes", r.axes)
	}
}
