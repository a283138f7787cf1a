package simulator

import "github.com/poolgen/poolgen/cuda/internal/abi"

// latency is how long work takes, counted in events that the program reports. Records of events and waits for them take no time: they are done with the
// work before them.
type latency struct {
	delay uint64 // events from when work is queued until it may be done; 0: the schedule decides
	ticks uint64 // events so far
}

// Latency makes work that is queued from now on take so many calls of Tick, each stream and each operation for itself. Until then it does not run, unless a
// call waits for it. With 0, the schedule decides again, also for what is queued.
func (d *Driver) Latency(events int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.delay = uint64(max(events, 0))
}

// Tick reports an event: the work that has taken as many as Latency says is done.
func (d *Driver) Tick() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ticks++
	d.runDue()
}

// Work queues work on a stream that uses no memory.
func (d *Driver) Work(ctx abi.Context, h abi.Stream) abi.Result {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.context(ctx)
	if c == nil {
		return abi.InvalidContext
	}
	s, r := d.stream(c, h)
	if r == abi.Success {
		r = d.submit(s, work{what: "work"})
	}
	return r
}

// runDue runs all operations whose time has come, those that became able to run first before the others.
func (d *Driver) runDue() {
	if d.delay == 0 {
		return
	}
	for i := 0; i < len(d.ready); {
		if o := d.ready[i]; o.due > d.ticks {
			i++
		} else {
			d.execute(o)
			i = 0 // what waited for it may come first
		}
	}
}

// dueAt returns the event at which an operation may be done.
func (l *latency) dueAt(w work) uint64 {
	if l.delay == 0 || w.instant {
		return 0
	}
	return l.ticks + l.delay
}
