package simulator

import (
	"fmt"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/simulator/hazard"
)

// stream orders operations one after the other.
type stream struct {
	handle   abi.Stream
	id       uint64
	name     string
	ctx      *context
	blocking bool // ordered with the legacy default stream
	last     *op
	axis     int
	clock    hazard.Clock // of what was queued last
	gone     bool

	overlooked int // ignored by the checker while above 0

	capture *capture
	front   []int // while capturing: the nodes that the next one depends on
	branch  int   // while capturing: the number of this stream in the capture
}

// newStream makes a stream. Unless it is a legacy stream, it follows the ordering rules of its context.
func (d *Driver) newStream(c *context, id uint64, blocking bool) *stream {
	s := &stream{id: id, ctx: c, blocking: blocking, clock: d.host}
	s.axis = d.takeAxis(d.host)
	s.name = fmt.Sprintf("stream %d of device %d", s.id, c.dev.ordinal)
	c.forgetEnded()
	c.all = append(c.all, s)
	return s
}

// idle reports whether all that was queued is done.
func (s *stream) idle() bool { return s.last == nil || s.last.done }

// point returns the stream's current position.
func (s *stream) point(what string) hazard.Point {
	return hazard.Point{Axis: s.axis, Tick: s.clock.At(s.axis), Where: s.name, What: what}
}

// before returns the operations that the next operation of a stream waits for: the last one of the stream; on the legacy default
// stream the last one of each blocking stream of the context, and on such a stream the last one of the legacy default stream.
func (d *Driver) before(s *stream) ([]*op, hazard.Clock) {
	after, clock := []*op{s.last}, d.host.Join(s.clock)
	switch {
	case s == s.ctx.legacy:
		clock = clock.Join(s.ctx.ended.blocking)
		for _, other := range s.ctx.all {
			if other.blocking {
				after, clock = append(after, other.last), clock.Join(other.clock)
			}
		}
	case s.blocking:
		after, clock = append(after, s.ctx.legacy.last), clock.Join(s.ctx.legacy.clock)
	}
	return after, clock
}

// tail returns the operations that a wait for a stream waits for.
func (d *Driver) tail(s *stream) ([]*op, hazard.Clock) {
	if s == s.ctx.legacy {
		return d.before(s)
	}
	return []*op{s.last}, s.clock
}

// stream returns a stream of a context by its handle.
func (d *Driver) stream(c *context, h abi.Stream) (*stream, abi.Result) {
	switch h {
	case 0, abi.LegacyStream:
		return c.legacy, abi.Success
	case abi.PerThreadStream:
		here := thread() // read once: the goroutine may move to another thread at any time
		if c.threads[here] == nil {
			c.threads[here] = d.newStream(c, d.number(), true)
		}
		return c.threads[here], abi.Success
	}
	s := d.streams[h]
	if s == nil || s.ctx != c {
		return nil, abi.InvalidHandle
	}
	return s, abi.Success
}

// beginStream is begin for a function of a stream.
func (d *Driver) beginStream(function string, ctx abi.Context, h abi.Stream) (*stream, abi.Result) {
	c, r := d.beginIn(function, ctx)
	if r != abi.Success {
		return nil, r
	}
	return d.stream(c, h)
}

// StreamCreate makes a stream. Priorities have no effect.
func (d *Driver) StreamCreate(ctx abi.Context, flags uint32, _ int32) (abi.Stream, abi.Result) {
	c, r := d.beginIn("cuStreamCreateWithPriority", ctx)
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	if flags > abi.StreamNonBlocking {
		return 0, abi.InvalidValue
	}
	s := d.newStream(c, d.number(), flags == abi.StreamDefault)
	s.handle = abi.Stream(d.handle(KindStream))
	d.streams[s.handle] = s
	d.born(KindStream, uint64(s.handle), 0)
	return s.handle, abi.Success
}

// StreamDestroy destroys a stream; queued work still runs. A capture that it began ends; one that it joined becomes invalid.
func (d *Driver) StreamDestroy(ctx abi.Context, h abi.Stream) abi.Result {
	s, r := d.beginStream("cuStreamDestroy", ctx, h)
	defer d.mu.Unlock()
	if r == abi.InvalidHandle {
		d.badRelease("cuStreamDestroy", uint64(h))
	}
	if r != abi.Success {
		return r
	}
	if s.handle == 0 {
		return abi.InvalidHandle // a default stream
	}
	if s.capture != nil {
		d.lose(s)
	}
	s.gone = true
	delete(d.streams, h)
	d.died(KindStream, uint64(h))
	d.releaseAxis(s.axis, s.clock)
	return abi.Success
}

// StreamGetID returns the number of a stream, which no other stream gets.
func (d *Driver) StreamGetID(ctx abi.Context, h abi.Stream) (uint64, abi.Result) {
	s, r := d.beginStream("cuStreamGetId", ctx, h)
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	return s.id, abi.Success
}

// StreamGetCtx returns the context of a stream; for a default stream, that of the calling thread.
func (d *Driver) StreamGetCtx(h abi.Stream) (abi.Context, abi.Result) {
	r := d.begin("cuStreamGetCtx")
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	if h <= abi.PerThreadStream {
		ctx := d.current[thread()]
		if d.context(ctx) == nil {
			return 0, abi.InvalidContext
		}
		return ctx, abi.Success
	}
	s := d.streams[h]
	if s == nil {
		return 0, abi.InvalidHandle
	}
	return s.ctx.handle, abi.Success
}

// StreamQuery returns Success when all that was queued is done. On a capturing stream it fails and invalidates the capture.
func (d *Driver) StreamQuery(ctx abi.Context, h abi.Stream) abi.Result {
	s, r := d.beginStream("cuStreamQuery", ctx, h)
	defer d.mu.Unlock()
	if r != abi.Success {
		return r
	}
	if r := d.unobservable(s); r != abi.Success {
		return r
	}
	tail, clock := d.tail(s)
	for _, o := range tail {
		if o != nil && !o.done {
			return abi.NotReady
		}
	}
	d.host = d.host.Join(clock)
	return s.ctx.fault
}

// StreamSynchronize runs what is queued. On a capturing stream it fails and invalidates the capture.
func (d *Driver) StreamSynchronize(ctx abi.Context, h abi.Stream) abi.Result {
	s, r := d.beginStream("cuStreamSynchronize", ctx, h)
	defer d.mu.Unlock()
	if r != abi.Success {
		return r
	}
	if r := d.unobservable(s); r != abi.Success {
		return r
	}
	d.wait(s)
	d.trimPools()
	return s.ctx.fault
}

// wait drains a stream; the host has then waited for it.
func (d *Driver) wait(s *stream) {
	tail, clock := d.tail(s)
	for _, o := range tail {
		d.drain(o)
	}
	d.host = d.host.Join(clock)
}

// StreamWaitEvent makes a stream wait for the last recording of an event; an event that was never recorded is ignored. A stream
// that waits for an event of a capture joins the capture.
func (d *Driver) StreamWaitEvent(ctx abi.Context, h abi.Stream, e abi.Event) abi.Result {
	s, r := d.beginStream("cuStreamWaitEvent", ctx, h)
	defer d.mu.Unlock()
	if r != abi.Success {
		return r
	}
	ev := d.events[e]
	switch {
	case ev == nil:
		return abi.InvalidHandle
	case ev.mark != nil:
		return ev.mark.join(s)
	case ev.op == nil:
		return abi.Success
	case s.capture != nil:
		s.capture.invalid = true
		return captureIsolation
	}
	return d.submit(s, work{what: "cuStreamWaitEvent", instant: true}, ev.op)
}
