package simulator

import "github.com/poolgen/poolgen/cuda/internal/abi"

// event is a point of a stream, or of a capture.
type event struct {
	ctx   *context
	flags uint32
	op    *op   // recorded last; nil if it never was
	mark  *mark // recorded in a capture
}

// beginEvent is begin for a function of an event.
func (d *Driver) beginEvent(function string, ctx abi.Context, h abi.Event) (*event, abi.Result) {
	c, r := d.beginIn(function, ctx)
	if r != abi.Success {
		return nil, r
	}
	e := d.events[h]
	if e == nil || e.ctx != c {
		return nil, abi.InvalidHandle
	}
	return e, abi.Success
}

// EventCreate makes an event.
func (d *Driver) EventCreate(ctx abi.Context, flags uint32) (abi.Event, abi.Result) {
	c, r := d.beginIn("cuEventCreate", ctx)
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	if flags > abi.EventBlockingSync|abi.EventDisableTiming {
		return 0, abi.InvalidValue
	}
	h := abi.Event(d.handle(KindEvent))
	d.events[h] = &event{ctx: c, flags: flags}
	d.born(KindEvent, uint64(h), 0)
	return h, abi.Success
}

// EventDestroy destroys an event; waits for it remain.
func (d *Driver) EventDestroy(ctx abi.Context, h abi.Event) abi.Result {
	_, r := d.beginEvent("cuEventDestroy", ctx, h)
	defer d.mu.Unlock()
	if r == abi.InvalidHandle {
		d.badRelease("cuEventDestroy", uint64(h))
	}
	if r != abi.Success {
		return r
	}
	delete(d.events, h)
	d.died(KindEvent, uint64(h))
	return abi.Success
}

// EventRecord makes an event stand for all work that was queued on a stream of its context so far.
func (d *Driver) EventRecord(ctx abi.Context, h abi.Event, sh abi.Stream) abi.Result {
	e, r := d.beginEvent("cuEventRecord", ctx, h)
	defer d.mu.Unlock()
	if r != abi.Success {
		return r
	}
	s, r := d.stream(e.ctx, sh)
	if r != abi.Success {
		return r
	}
	if s.capture != nil {
		return s.capture.mark(s, e)
	}
	if r := d.implicit(s); r != abi.Success {
		return r
	}
	e.op, e.mark = d.put(s, work{what: "cuEventRecord", instant: true}), nil
	return abi.Success
}

// EventQuery returns Success when the event has passed, or was never recorded. An event of a capture cannot be queried.
func (d *Driver) EventQuery(ctx abi.Context, h abi.Event) abi.Result {
	e, r := d.beginEvent("cuEventQuery", ctx, h)
	defer d.mu.Unlock()
	switch {
	case r != abi.Success:
		return r
	case e.mark != nil:
		e.mark.capture.invalid = true
		return abi.CapturedEvent
	case e.op == nil:
		return abi.Success
	case !e.op.done:
		return abi.NotReady
	}
	d.host = d.host.Join(e.op.clock)
	return e.ctx.fault
}

// EventSynchronize runs the work before the event.
func (d *Driver) EventSynchronize(ctx abi.Context, h abi.Event) abi.Result {
	e, r := d.beginEvent("cuEventSynchronize", ctx, h)
	defer d.mu.Unlock()
	switch {
	case r != abi.Success:
		return r
	case e.mark != nil:
		e.mark.capture.invalid = true
		return abi.CapturedEvent
	case e.op != nil:
		d.drain(e.op)
		d.host = d.host.Join(e.op.clock)
		d.trimPools()
	}
	return e.ctx.fault
}

// EventElapsedTime returns the time between two events that have passed: each operation of any stream takes a microsecond.
func (d *Driver) EventElapsedTime(from, to abi.Event) (float32, abi.Result) {
	r := d.begin("cuEventElapsedTime")
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	a, b := d.events[from], d.events[to]
	for _, e := range []*event{a, b} {
		switch {
		case e == nil:
			return 0, abi.InvalidHandle
		case e.mark != nil:
			return 0, abi.CapturedEvent
		case e.flags&abi.EventDisableTiming != 0 || e.op == nil:
			return 0, abi.InvalidHandle
		}
	}
	if !a.op.done || !b.op.done {
		return 0, abi.NotReady
	}
	return float32(int64(b.op.time)-int64(a.op.time)) / 1000, abi.Success
}
