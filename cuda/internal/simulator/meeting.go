package simulator

import (
	"slices"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// meeting is work that several streams do together, which may be of different devices. It runs when all have come to it, and they go on when it is done. Until
// all have been queued, whoever waits for one of the streams waits for other goroutines, as with a driver.
type meeting struct {
	op   *op
	left int // streams that are yet to come
}

// newMeeting returns the meeting of a number of streams.
func newMeeting(c *context, what string, streams int, run func() abi.Result) *meeting {
	return &meeting{op: &op{what: what, ctx: c, run: run, left: streams}, left: streams}
}

// arrive queues on a stream that it comes to a meeting, with the uses of memory that are its part of the work.
func (d *Driver) arrive(m *meeting, s *stream, uses []use) abi.Result {
	if r := d.implicit(s); r != abi.Success {
		return r
	}
	at := d.put(s, work{what: m.op.what, uses: uses, instant: true})
	m.left--
	if m.op.run == nil { // it was called off
		return abi.Success
	}
	m.op.after = append(m.op.after, at)
	at.then = append(at.then, m.op)
	if m.left == 0 {
		d.met.Broadcast()
	}
	return abi.Success
}

// leave queues on a stream that it waits for meetings.
func (d *Driver) leave(s *stream, all ...*meeting) {
	var ops []*op
	for _, m := range all {
		ops = append(ops, m.op)
	}
	d.put(s, work{what: "a meeting of streams", instant: true}, ops...)
}

// callOff lets the streams of a meeting go on without its work.
func (d *Driver) callOff(m *meeting) {
	o := m.op
	if o.done || o.run == nil {
		return
	}
	for _, before := range o.after {
		before.then = slices.DeleteFunc(before.then, func(next *op) bool { return next == o })
	}
	o.run, o.after = nil, nil
	if o.left > 0 {
		o.left = 0
		d.makeReady(o)
	}
	d.met.Broadcast()
}

// circular reports whether a meeting waits for itself: streams come to two meetings in opposite orders.
func (m *meeting) circular() bool {
	seen := map[*op]bool{}
	var reaches func(o *op) bool
	reaches = func(o *op) bool {
		return slices.ContainsFunc(o.after, func(before *op) bool {
			if before == m.op {
				return true
			}
			if before.done || seen[before] {
				return false
			}
			seen[before] = true
			return reaches(before)
		})
	}
	return reaches(m.op)
}

// await waits until another goroutine has queued or called off something. It reports whether the machine is still the same.
func (d *Driver) await() bool {
	machine := d.machine
	d.met.Wait()
	return machine == d.machine
}
