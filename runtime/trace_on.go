//go:build pooltrace

package runtime

// Traced reports whether the program was built with the tag pooltrace, by which pools keep their last events, can record what happens to them, and sample
// who allocates: see docs/tracing.md.
const Traced = true

// tracing is what a pool of a traced build knows of its past.
type tracing struct {
	flight  flight
	samples samples
}

// traceAlloc notes a block that was handed out.
func (e *Engine) traceAlloc(place, bytes uint64, s *Stream) {
	t, stream, site := &e.observed.tracing, streamID(s), uint32(0)
	n := t.flight.claim()
	if sampled(n, bytes) {
		site = t.samples.noteAlloc(place, bytes)
	}
	t.flight.put(n, FlightAlloc, place, bytes, stream, site)
	if r := recorder.Load(); r != nil {
		r.alloc(e, place, bytes, stream)
	}
}

// traceFree notes a block that is about to be freed. What is no live block is refused later, and changes nothing here.
func (e *Engine) traceFree(place, bytes uint64, s *Stream) {
	t, stream := &e.observed.tracing, streamID(s)
	t.flight.put(t.flight.claim(), FlightFree, place, bytes, stream, 0)
	if t.samples.has(place) {
		t.samples.noteFree(place, bytes)
	}
	if r := recorder.Load(); r != nil {
		r.free(e, place, bytes, stream)
	}
}

// traceSwept notes that all blocks were taken back at once.
func (e *Engine) traceSwept() {
	e.observed.tracing.flight.put(e.observed.tracing.flight.claim(), FlightReset, 0, 0, 0, 0)
	e.observed.tracing.samples.swept()
	if r := recorder.Load(); r != nil {
		r.swept(e)
	}
}

// traceNote notes what is an event of the pool, too.
func (e *Engine) traceNote(kind EventKind, bytes int64) {
	what, ok := flightKinds[kind]
	if !ok {
		what = FlightOther
	}
	e.observed.tracing.flight.put(e.observed.tracing.flight.claim(), what, 0, uint64(bytes), 0, 0)
}

func streamID(s *Stream) uint64 {
	if s == nil {
		return 0
	}
	return s.ID
}

// annotateSampled says of pieces when and to whom they were handed out, as far as that was sampled.
func (e *Engine) annotateSampled(pieces []Piece, base uint64, sites *siteTable) {
	m := &e.observed.tracing.samples
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range pieces {
		p := &pieces[i]
		if p.State != PieceLive {
			continue
		}
		if b, ok := m.live[base+p.Off]; ok {
			p.Since, p.Site = b.at.UnixNano(), sites.of(m.list[b.site].stack)
		}
	}
}

// lastEvents lists what the flight recorder has, with the sites of a snapshot.
func (e *Engine) lastEvents(sites *siteTable) []FlightEvent {
	all := e.observed.tracing.flight.events()
	m := &e.observed.tracing.samples
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range all {
		if f := &all[i]; f.Site > 0 {
			f.Site = sites.of(m.list[f.Site].stack)
		}
	}
	return all
}
