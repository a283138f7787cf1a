package simulator

import (
	"testing"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// Work is done as many events late as Latency says, whatever the schedule; marks are done with the work before them.
func TestLatency(t *testing.T) {
	r := newRig(t, Config{Schedule: 7})
	r.Latency(3)
	a, b := r.stream(), r.stream()
	query := func(s abi.Stream, want abi.Result) {
		t.Helper()
		r.want(r.StreamQuery(r.ctx, s), want)
	}
	r.ok(r.Work(r.ctx, a))
	first, second := r.event(), r.event()
	r.ok(r.EventRecord(r.ctx, first, a))
	r.Tick()
	r.ok(r.Work(r.ctx, a))
	r.ok(r.EventRecord(r.ctx, second, a))
	r.ok(r.StreamWaitEvent(r.ctx, b, second))
	r.Tick()
	for range 20 {
		query(a, abi.NotReady)
	}
	r.want(r.EventQuery(r.ctx, first), abi.NotReady)
	r.Tick() // the third since the first work was queued
	r.ok(r.EventQuery(r.ctx, first))
	r.want(r.EventQuery(r.ctx, second), abi.NotReady)
	query(b, abi.NotReady) // it waits for a
	r.Tick()
	r.ok(r.EventQuery(r.ctx, second))
	query(a, abi.Success)
	query(b, abi.Success)

	r.ok(r.Work(r.ctx, a))
	r.ok(r.Work(r.ctx, b))
	r.ok(r.StreamSynchronize(r.ctx, a)) // waits for no event
	query(a, abi.Success)
	query(b, abi.NotReady)
	r.Latency(0)
	for r.StreamQuery(r.ctx, b) == abi.NotReady { // the schedule runs it
	}
	r.want(r.Work(r.ctx, 12345), abi.InvalidHandle)
}
