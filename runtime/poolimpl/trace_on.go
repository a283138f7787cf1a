//go:build pooltrace

package poolimpl

import (
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/trace"
)

// tracing is what a pool of a traced build records of its past.
type tracing struct {
	flight  trace.Flight
	samples trace.Samples
}

// alloc records a block that was handed out.
func (t *tracing) alloc(e *Engine, place, bytes uint64, s *Stream) {
	stream, site := streamID(s), uint32(0)
	n := t.flight.Claim()
	if trace.Sampled(n, bytes) {
		site = t.samples.NoteAlloc(place, bytes)
	}
	t.flight.Put(n, uint8(poolrt.FlightAlloc), place, bytes, stream, site)
	if r := trace.Active(); r != nil {
		r.Alloc(e, place, bytes, stream)
	}
}

// free records a block that is about to be freed. If the block is not live, the free is refused later, and the samples do not change here.
func (t *tracing) free(e *Engine, place, bytes uint64, s *Stream) {
	stream := streamID(s)
	t.flight.Put(t.flight.Claim(), uint8(poolrt.FlightFree), place, bytes, stream, 0)
	if t.samples.Has(place) {
		t.samples.NoteFree(place, bytes)
	}
	if r := trace.Active(); r != nil {
		r.Free(e, place, bytes, stream)
	}
}

// swept records that all blocks were freed at once.
func (t *tracing) swept(e *Engine) {
	t.flight.Put(t.flight.Claim(), uint8(poolrt.FlightReset), 0, 0, 0, 0)
	t.samples.Swept()
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

// annotate adds to the live blocks among some pieces when they were allocated and by which calls, if that was sampled. It locks the samples once for all
// pieces.
func (t *tracing) annotate(pieces []poolrt.Piece, base uint64, sites *trace.Sites) {
	t.samples.Lock()
	defer t.samples.Unlock()
	for i := range pieces {
		p := &pieces[i]
		if p.State != poolrt.PieceLive {
			continue
		}
		if since, stack, ok := t.samples.Block(base + p.Off); ok {
			p.Since, p.Site = since.UnixNano(), sites.Of(stack)
		}
	}
}

// lastEvents lists the events in the flight recorder, and adds their call sites to those of a snapshot.
func (t *tracing) lastEvents(sites *trace.Sites) (all []poolrt.FlightEvent) {
	for _, x := range t.flight.Events() {
		f := poolrt.FlightEvent{Number: x.Number, Time: time.Unix(0, x.Time), Kind: poolrt.FlightKind(x.Kind), Addr: x.Addr, Bytes: x.Bytes, Stream: x.Stream}
		if x.Site > 0 {
			f.Site = sites.Of(t.samples.Stack(x.Site))
		}
		all = append(all, f)
	}
	return all
}

// Calls lists the calls that allocated the sampled blocks.
func (e *Engine) Calls() []trace.Calls { return e.observed.tracing.samples.Calls(e.Name()) }

// leaks lists the live blocks that were sampled.
func (t *tracing) leaks(pool, unit string) (all []poolrt.Leak) {
	for _, l := range t.samples.Live() {
		all = append(all, poolrt.Leak{Pool: pool, Count: l.Blocks, Bytes: l.Bytes, Since: l.Since, Stack: l.Stack, Unit: unit, Sampled: l.Estimated})
	}
	return all
}

// flightKinds maps the kinds of the pool's events to those of the flight recorder.
var flightKinds = map[poolrt.EventKind]poolrt.FlightKind{poolrt.EventGrowth: poolrt.FlightGrow, poolrt.EventTrim: poolrt.FlightTrim, poolrt.EventFailure: poolrt.FlightFail}
