package simulator

import (
	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/simulator/hazard"
)

// work is the work of a call on a stream.
type work struct {
	what string            // the function's name
	uses []use             // of memory, for the checker
	run  func() abi.Result // nil does nothing, as in a wait

	instant bool // takes no time, however long work takes

	// again makes the work once more, for a graph: it finds the memory that is mapped to its addresses then. nil: the work finds it when it runs, or uses none.
	again func() (work, abi.Result)
}

// anew returns the work for another launch of a graph. Work whose addresses have no memory any more fails when it runs.
func (w work) anew() work {
	if w.again != nil {
		if now, r := w.again(); r == abi.Success {
			return now
		}
	}
	return w
}

// use is one use of memory by an operation.
type use struct {
	pieces []piece
	write  bool
	whole  bool // the driver's own pool hands out the memory or takes it back: blocks that another pool made of it end
}

// op is work in a queue. Operations make a graph: each one runs at some time after those that it waits for, and nothing else orders
// them. The field after holds the order of a stream, the legacy default stream and events.
type op struct {
	what  string
	ctx   *context
	run   func() abi.Result
	point hazard.Point
	clock hazard.Clock // everything that is ordered before it, itself included

	after []*op // not done
	then  []*op // operations that wait for it
	left  int   // of after that are not done
	slot  int   // in schedule.ready
	done  bool
	time  uint64 // when it was done
	due   uint64 // the event, of latency, before which it is not done
}

// enqueue makes work an operation at a point that waits for others.
func (d *Driver) enqueue(c *context, w work, point hazard.Point, clock hazard.Clock, after []*op) *op {
	o := &op{what: w.what, ctx: c, run: w.run, point: point, clock: clock, due: d.dueAt(w)}
	for _, before := range after {
		if before == nil || before.done {
			continue
		}
		o.after = append(o.after, before)
		before.then = append(before.then, o)
		o.left++
	}
	d.check(w.uses, point, clock)
	if o.left == 0 {
		d.makeReady(o)
	}
	return o
}

// put queues work on a stream, also after the given operations.
func (d *Driver) put(s *stream, w work, after ...*op) *op {
	before, clock := d.before(s)
	for _, o := range after {
		if o != nil {
			clock = clock.Join(o.clock)
			before = append(before, o)
		}
	}
	s.clock = clock.Tick(s.axis)
	if s.overlooked > 0 {
		w.uses = nil
	}
	s.last = d.enqueue(s.ctx, w, s.point(w.what), s.clock, before)
	return s.last
}

// submit is like put, for work that may be captured instead.
func (d *Driver) submit(s *stream, w work, after ...*op) abi.Result {
	if s.capture != nil {
		return s.capture.record(s, w)
	}
	if r := d.implicit(s); r != abi.Success {
		return r
	}
	d.put(s, w, after...)
	return abi.Success
}

// execute runs an operation that waits for nothing any more. In a context that has failed, operations do nothing.
func (d *Driver) execute(o *op) {
	d.unready(o)
	if o.run != nil && o.ctx.fault == abi.Success {
		if r := o.run(); r != abi.Success {
			o.ctx.fault = r
		}
	}
	d.now++
	o.done, o.time = true, d.now
	for _, next := range o.then {
		next.left--
		if next.left == 0 {
			next.after = nil
			d.makeReady(next)
		}
	}
	o.run, o.then, o.after = nil, nil, nil
}
