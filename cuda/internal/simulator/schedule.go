package simulator

import (
	"math/rand/v2"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// schedule decides which operation runs next.
type schedule struct {
	random *rand.Rand // nil: operations run only when told
	ready  []*op      // that wait for nothing
	now    uint64     // operations run so far: the clock of events, in microseconds
}

func newSchedule(seed uint64) schedule {
	if seed == 0 {
		return schedule{}
	}
	return schedule{random: rand.New(rand.NewPCG(seed, 0x5EED))}
}

// Schedule lets streams advance by a schedule with a seed from now on, or only when told, with 0.
func (d *Driver) Schedule(seed uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.random = newSchedule(seed).random
}

// RunAll runs all queued operations, on all devices.
func (d *Driver) RunAll() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.ready) > 0 {
		d.execute(d.pick())
	}
}

// Step runs one operation: a random one with a schedule, else one that became able to run first. It reports whether there was one.
func (d *Driver) Step() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.ready) == 0 {
		return false
	}
	d.execute(d.pick())
	return true
}

// Run runs what is queued on a stream, and what that waits for.
func (d *Driver) Run(ctx abi.Context, h abi.Stream) abi.Result {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.context(ctx)
	if c == nil {
		return abi.InvalidContext
	}
	s, r := d.stream(c, h)
	if r == abi.Success {
		d.runThrough(s.last)
	}
	return r
}

// advance lets the schedule run some operations or, if work takes a number of events, those whose time has come.
func (d *Driver) advance() {
	if d.random == nil || d.delay > 0 {
		d.runDue()
		return
	}
	for range d.random.IntN(4) {
		if len(d.ready) > 0 {
			d.execute(d.pick())
		}
	}
}

// pick returns an operation that can run.
func (d *Driver) pick() *op {
	if d.random == nil {
		return d.ready[0]
	}
	return d.ready[d.random.IntN(len(d.ready))]
}

func (d *Driver) makeReady(o *op) {
	o.slot = len(d.ready)
	d.ready = append(d.ready, o)
}

// unready removes an operation. The others keep their order: those that were ready first run first.
func (d *Driver) unready(o *op) {
	d.ready = append(d.ready[:o.slot], d.ready[o.slot+1:]...)
	for i := o.slot; i < len(d.ready); i++ {
		d.ready[i].slot = i
	}
}

// drain runs operations until one is done. With a schedule others may run as well; without one, or if work takes a number of events, only the operations that it waits for run.
func (d *Driver) drain(o *op) {
	for d.random != nil && d.delay == 0 && o != nil && !o.done {
		if len(d.ready) > 0 {
			d.execute(d.pick())
		} else if !d.await() { // a stream that another goroutine is to queue work on
			return
		}
	}
	d.runThrough(o)
}

// runThrough runs an operation and what it waits for.
func (d *Driver) runThrough(o *op) {
	stack := []*op{o}
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		switch {
		case top == nil || top.done:
			stack = stack[:len(stack)-1]
		case top.left == 0:
			d.execute(top)
		default:
			n := len(stack)
			for i := len(top.after) - 1; i >= 0; i-- {
				if !top.after[i].done {
					stack = append(stack, top.after[i])
				}
			}
			if len(stack) == n && !d.await() { // a meeting to which not all have come
				return
			}
		}
	}
}

// drainContext runs all operations of a context; the host has then waited for them.
func (d *Driver) drainContext(c *context) {
	for _, s := range c.all {
		d.drain(s.last)
		d.host = d.host.Join(s.clock)
	}
	d.host = d.host.Join(c.ended.all)
}
