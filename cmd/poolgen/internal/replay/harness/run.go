package harness

import (
	"runtime"
	"slices"
	"time"
)

// Counts are the counts of a run. Sizes are in bytes.
type Counts struct {
	Allocs       int64  // blocks handed out
	Frees        int64  // blocks freed
	Failures     int64  // requests not served
	PeakLive     int64  // largest sum of live requests, in bytes of the trace; with several goroutines, in bytes of the pool
	FirstFailure string // error of the first request that was not served
	FailedEvent  int    // its number, from 0
}

// run is one run of a tape through a new pool.
type run struct {
	Counts
	peakReserved int64 // by the pool's own count
	elapsed      time.Duration
	driverCalls  int64
	driverTime   time.Duration // of all goroutines
	calls        int           // of Alloc and Free
}

// once runs the tape through a new pool.
func (o Options) once(pool *Pool, tape *Tape) (r run, err error) {
	parts, slots := []*Part{tape.whole(pool)}, tape.Slots
	if o.Goroutines > 1 {
		parts, slots = tape.deal(pool, o.Goroutines)
	}
	p, err := pool.Open(Setup{Slots: slots, Streams: tape.streams()})
	if err != nil {
		return r, err
	}
	runtime.GC() // the garbage of the previous run must not count for this run
	calls, spent := p.Meter.Calls(), p.Meter.Time()
	r.elapsed, err = o.play(&p, parts)
	r.driverCalls, r.driverTime = p.Meter.Calls()-calls, p.Meter.Time()-spent
	if err != nil {
		return r, err
	}
	r.count(pool, tape, parts)
	stats := p.Stats()
	r.peakReserved = stats.PeakReserved
	if o.Goroutines > 1 {
		r.PeakLive = stats.PeakLive
	}
	return r, p.Close()
}

// streams returns how many streams a pool uses: with one stream there is nothing to order.
func (t *Tape) streams() int {
	if t.Streams < 2 {
		return 0
	}
	return t.Streams
}

// count computes the counts from the tape and the failures.
func (r *run) count(pool *Pool, tape *Tape, parts []*Part) {
	var failed []int
	for _, p := range parts {
		if len(p.failed) > 0 && (len(failed) == 0 || p.failed[0] < r.FailedEvent) {
			r.FirstFailure, r.FailedEvent = p.firstErr.Error(), p.failed[0]
		}
		failed = append(failed, p.failed...)
	}
	slices.Sort(failed)
	held := make([]uint64, tape.Slots) // bytes of the live blocks; requests are never 0
	live := uint64(0)
	for i, code := range tape.Codes {
		slot := code >> 1
		switch {
		case code&1 != 0 && held[slot] == 0: // its alloc failed
		case code&1 != 0:
			r.Frees++
			live -= held[slot]
			held[slot] = 0
		case len(failed) > 0 && failed[0] == i:
			failed = failed[1:]
			r.Failures++
			r.calls += min(pool.itemsOf(tape.Sizes[i]), 1)
		default:
			r.Allocs++
			held[slot] = tape.Sizes[i]
			live += held[slot]
			r.PeakLive = max(r.PeakLive, int64(live))
		}
	}
	r.calls = max(r.calls+int(r.Allocs+r.Frees), 1)
}

// nsPerOp returns the time of all calls divided by their number.
func (r *run) nsPerOp() float64 { return float64(r.elapsed.Nanoseconds()) / float64(r.calls) }

// driverNSPerOp returns the part of it that was not the pool's. The goroutines spend that time concurrently.
func (r *run) driverNSPerOp(goroutines int) float64 {
	return min(float64(r.driverTime.Nanoseconds())/float64(r.calls)/float64(goroutines), r.nsPerOp())
}

// curve runs the tape through a new pool and returns the most bytes that it has reserved in each column.
func (o Options) curve(pool *Pool, tape *Tape) ([]int64, error) {
	p, err := pool.Open(Setup{Slots: tape.Slots, Streams: tape.streams()})
	if err != nil {
		return nil, err
	}
	events, firsts := tape.whole(pool).Events, tape.Columns(o.Columns)
	most, now := make([]int64, o.Columns), p.Stats().Reserved
	column := 0
	stop := p.Watch(func(reserved int64) {
		now = reserved
		most[column] = max(most[column], now)
	})
	defer stop()
	for ; column < o.Columns; column++ {
		most[column] = now
		part := &Part{Events: events[firsts[column]:firsts[column+1]]}
		if _, err := o.play(&p, []*Part{part}); err != nil {
			return nil, err
		}
	}
	column-- // closing the pool is an event, too
	return most, p.Close()
}
