package harness

import (
	"errors"
	"fmt"
	"runtime"
	"time"
)

// Run is one run of a tape.
type Run struct {
	tape     *Tape
	start    time.Time
	elapsed  time.Duration
	failed   []int // events whose alloc failed, ascending
	firstErr error
}

// Result is what the replay command reads back. Sizes are in bytes.
type Result struct {
	Allocs       int64   // blocks handed out
	Frees        int64   // blocks freed
	Failures     int64   // requests not served
	PeakLive     int64   // largest sum of live requests, as the trace has them
	PeakReserved int64   // by the pool's own count
	Varied       bool    // the runs had different PeakReserved; this is the largest
	NSPerOp      float64 // time of all calls over their number
	FirstFailure string  // error of the first request that was not served
	FailedEvent  int     // its number, from 0
}

// errTooLarge is the failure of a request that no block of the pool can hold.
var errTooLarge = errors.New("larger than one block of the pool")

// Start begins the measured part of a run.
func Start(tape *Tape) *Run {
	r := &Run{tape: tape}
	runtime.GC() // the garbage of the run before is not this run's work
	r.start = time.Now()
	return r
}

// Fail notes that the alloc of event i failed. A nil err stands for a request larger than a block.
func (r *Run) Fail(i int, err error) {
	if len(r.failed) == 0 {
		if err == nil {
			err = errTooLarge
		}
		r.firstErr = err
	}
	r.failed = append(r.failed, i)
}

// Refuse ends a run whose pool would not take its own block back.
func (r *Run) Refuse(i int, err error) (Result, error) {
	return Result{}, fmt.Errorf("event %d: the pool refused a valid free: %w", i, err)
}

// Stop ends the measured part.
func (r *Run) Stop() { r.elapsed = time.Since(r.start) }

// Result counts what happened in the run. peakReserved is the pool's own count.
func (r *Run) Result(peakReserved int64) Result {
	res := Result{PeakReserved: peakReserved}
	held := make([]uint64, r.tape.slots) // bytes of the live blocks; requests are never 0
	failed, live, calls := r.failed, uint64(0), 0
	for i, e := range r.tape.Events {
		switch {
		case e.Free && held[e.Slot] == 0: // its alloc failed
		case e.Free:
			res.Frees++
			calls++
			live -= held[e.Slot]
			held[e.Slot] = 0
		case len(failed) > 0 && failed[0] == i:
			failed = failed[1:]
			res.Failures++
			if e.Items > 0 {
				calls++
			}
		default:
			res.Allocs++
			calls++
			held[e.Slot] = r.tape.sizes[i]
			live += held[e.Slot]
			res.PeakLive = max(res.PeakLive, int64(live))
		}
	}
	res.NSPerOp = float64(r.elapsed.Nanoseconds()) / float64(max(calls, 1))
	if r.firstErr != nil {
		res.FirstFailure, res.FailedEvent = r.firstErr.Error(), r.failed[0]
	}
	return res
}
