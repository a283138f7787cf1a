package simulator

import (
	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/simulator/hazard"
)

// Hazard is something that the checker found.
type Hazard = hazard.Report

// CheckHazards switches the checker on, for later operations. It checks copies, fills, launches of kernels that declare their uses,
// the driver's own pools, and the calls of Use, HandOut and TakeBack.
func (d *Driver) CheckHazards() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.checker.On = true
}

// Hazards returns what the checker found, the oldest first and at most 100.
func (d *Driver) Hazards() []Hazard {
	d.mu.Lock()
	defer d.mu.Unlock()
	found, _ := d.checker.Reports()
	return found
}

// Use says that something that the simulator does not see reads or writes memory, at the current point of a stream or, with the context
// 0, of the host.
func (d *Driver) Use(p abi.Ptr, bytes uint64, ctx abi.Context, s abi.Stream, write bool) abi.Result {
	return d.mention(p, bytes, ctx, s, "use", func(at hazard.Place, m hazard.Moment) { d.checker.Use(at, write, m) })
}

// HandOut says that a pool hands out memory to a stream or, with the context 0, to the host. That must be ordered after all uses of the memory so
// far, and after the point where it was freed.
func (d *Driver) HandOut(p abi.Ptr, bytes uint64, ctx abi.Context, s abi.Stream) abi.Result {
	return d.mention(p, bytes, ctx, s, "hand-out", d.checker.HandOut)
}

// TakeBack says that memory was freed to a pool: a stream or, with the context 0, the host is done with it at its current point.
func (d *Driver) TakeBack(p abi.Ptr, bytes uint64, ctx abi.Context, s abi.Stream) abi.Result {
	return d.mention(p, bytes, ctx, s, "take-back", d.checker.TakeBack)
}

// mention reports something about memory at the current point of a stream, without an operation. Streams that are capturing have no such point.
func (d *Driver) mention(p abi.Ptr, bytes uint64, ctx abi.Context, s abi.Stream, what string, tell func(hazard.Place, hazard.Moment)) abi.Result {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.checker.On {
		return abi.Success
	}
	pieces, r := d.resolve(p, bytes)
	if r != abi.Success {
		return r
	}
	m, r := d.moment(ctx, s, what)
	if r != abi.Success {
		return r
	}
	for _, at := range pieces {
		tell(at.place(), m)
	}
	return abi.Success
}

// moment returns the next position of a stream or the host.
func (d *Driver) moment(ctx abi.Context, h abi.Stream, what string) (hazard.Moment, abi.Result) {
	if ctx == 0 {
		d.host = d.host.Tick(hostAxis)
		point := hazard.Point{Axis: hostAxis, Tick: d.host.At(hostAxis), Where: "the host", What: what}
		return hazard.Moment{Point: point, Clock: d.host, Host: d.host}, abi.Success
	}
	c := d.context(ctx)
	if c == nil {
		return hazard.Moment{}, abi.InvalidContext
	}
	s, r := d.stream(c, h)
	if r != abi.Success {
		return hazard.Moment{}, r
	}
	if s.capture != nil {
		return hazard.Moment{}, abi.StreamCaptureUnsupported
	}
	_, clock := d.before(s)
	s.clock = s.clock.Tick(s.axis) // what it waits for besides is not its own before an operation says so
	return hazard.Moment{Point: s.point(what), Clock: clock.Tick(s.axis), Host: d.host}, abi.Success
}

// place names the memory of a piece.
func (p piece) place() hazard.Place {
	return hazard.Place{Memory: p.span.store.id, Offset: p.off, Bytes: p.n, Address: uint64(p.span.base) + p.off - p.span.offset}
}

// Overlook makes the checker ignore the work that is queued on a stream, until it is called as often again to end that: pools of debug builds access
// memory that was freed to them.
func (d *Driver) Overlook(ctx abi.Context, h abi.Stream, on bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.context(ctx)
	if c == nil {
		return
	}
	switch s, r := d.stream(c, h); {
	case r != abi.Success:
	case on:
		s.overlooked++
	default:
		s.overlooked--
	}
}

// check passes the uses of an operation to the checker. Memory of the program that the simulator did not allocate has no identity.
func (d *Driver) check(uses []use, point hazard.Point, clock hazard.Clock) {
	for _, u := range uses {
		for _, p := range u.pieces {
			m := hazard.Moment{Point: point, Clock: clock, Host: d.host}
			switch {
			case p.span.store.id == 0:
			case u.whole:
				d.checker.Transfer(p.place(), m)
			default:
				d.checker.Use(p.place(), u.write, m)
			}
		}
	}
}
