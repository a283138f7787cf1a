//go:build pooltrace

package poolimpl

import (
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/trace"
)

// tracing is what a pool of a traced build knows of its past.
type tracing struct {
	flight  trace.Flight
	samples trace.Samples
}

// alloc notes a block that was handed out.
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

// free notes a block that is about to be freed. What is no live block is refused later, and changes nothing here.
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

// swept notes that all blocks were taken back at once.
func (t *tracing) swept(e *Engine) {
	t.flight.Put(t.flight.Claim(), uint8(poolrt.FlightReset), 0, 0, 0, 0)
	t.samples.Swept()
	if r := trace.Active(); r != nil {
		r.Swept(e)
	}
}

// event notes what is an event of the pool, too.
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

// annotate notes when live blocks were allocated, and by which calls, as far as that was sampled. It locks the samples once for all pieces.
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

// lastEvents lists what the flight recorder has, with the sites of a snapshot.
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

// Calls lists what the pool has handed out, as far as it was sampled.
func (e *Engine) Calls() []trace.Calls { return e.observed.tracing.samples.Calls(e.Name()) }

// leaks lists what is live, as far as it was sampled.
func (t *tracing) leaks(pool, unit string) (all []poolrt.Leak) {
	for _, l := range t.samples.Live() {
		all = append(all, poolrt.Leak{Pool: pool, Count: l.Blocks, Bytes: l.Bytes, Since: l.Since, Stack: l.Stack, Unit: unit, Sampled: l.Estimated})
	}
	return all
}

// flightKinds are those of the pool's events.
var flightKinds = map[poolrt.EventKind]poolrt.FlightKind{poolrt.EventGrowth: poolrt.FlightGrow, poolrt.EventTrim: poolrt.FlightTrim, poolrt.EventFailure: poolrt.FlightFail}
