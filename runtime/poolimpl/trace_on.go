//go:build pooltrace

package poolimpl

import (
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/trace"
)

// tracing is what a pool of a traced build records of its past, besides the samples.
type tracing struct{ flight trace.Flight }

// alloc records a block that was handed out.
func (t *tracing) alloc(e *Engine, place, bytes uint64, s *Stream) {
	stream, site := streamID(s), uint32(0)
	n := t.flight.Claim()
	if weight := trace.Sampled(n, bytes); weight > 0 {
		samples := &e.observed.samples
		site = samples.NoteAlloc(place, bytes, weight, samples.Sweeps())
	}
	t.flight.Put(n, uint8(poolrt.FlightAlloc), place, bytes, stream, site)
	if r := trace.Active(); r != nil {
		r.Alloc(e, place, bytes, stream)
	}
}

// free records a block that is about to be freed.
func (t *tracing) free(e *Engine, place, bytes uint64, s *Stream) {
	stream := streamID(s)
	t.flight.Put(t.flight.Claim(), uint8(poolrt.FlightFree), place, bytes, stream, 0)
	if r := trace.Active(); r != nil {
		r.Free(e, place, bytes, stream)
	}
}

// swept records that all blocks were freed at once.
func (t *tracing) swept(e *Engine) {
	t.flight.Put(t.flight.Claim(), uint8(poolrt.FlightReset), 0, 0, 0, 0)
	if r := trace.Active(); r != nil {
		r.Swept(e)
	}
}

// event records an event of the pool.
func (t *tracing) event(kind poolrt.EventKind, bytes int64) {
	what, ok := flightKinds[kind]
	if !ok {
		what = poolrt.FlightOther
	}
	t.flight.Put(t.flight.Claim(), uint8(what), 0, uint64(bytes), 0, 0)
}

func streamID(s *Stream) uint64 {
	if s == nil {
		return 0
	}
	return s.ID
}

// lastEvents lists the events in the flight recorder, and adds their call sites to those of a snapshot.
func (t *tracing) lastEvents(samples *trace.Samples, sites *trace.Sites) (all []poolrt.FlightEvent) {
	for _, x := range t.flight.Events() {
		f := poolrt.FlightEvent{Number: x.Number, Time: time.Unix(0, x.Time), Kind: poolrt.FlightKind(x.Kind), Addr: x.Addr, Bytes: x.Bytes, Stream: x.Stream}
		if x.Site > 0 {
			f.Site = sites.Of(samples.Stack(x.Site))
		}
		all = append(all, f)
	}
	return all
}

// flightKinds maps the kinds of the pool's events to those of the flight recorder.
var flightKinds = map[poolrt.EventKind]poolrt.FlightKind{poolrt.EventGrowth: poolrt.FlightGrow, poolrt.EventTrim: poolrt.FlightTrim, poolrt.EventFailure: poolrt.FlightFail}
