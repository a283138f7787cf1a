// Package tally counts what a suballocator has handed out. It is linked into the suballocators that
// serve blocks of many sizes; each of its methods is small enough to be inlined.
package tally

import (
	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/templates/feature"
)

// Tally counts blocks and the bytes asked for. Its zero value has counted nothing.
type Tally struct {
	live  uint64
	bytes uint64
	//poolgen:if feature.Counters
	allocs uint64
	//poolgen:if feature.Counters
	peak uint64
}

// Take counts a block of n bytes handed out.
func (t *Tally) Take(n uint64) {
	t.live++
	t.bytes += n
	if feature.Counters {
		t.allocs++
		if t.bytes > t.peak {
			t.peak = t.bytes
		}
	}
}

// Give counts a block of n bytes coming back.
func (t *Tally) Give(n uint64) {
	t.live--
	t.bytes -= n
}

// Usage returns what was counted; the suballocator fills in the rest.
func (t *Tally) Usage() runtime.Usage {
	u := runtime.Usage{Live: t.live, LiveBytes: t.bytes}
	if feature.Counters {
		u.Allocs, u.PeakBytes = t.allocs, t.peak
	}
	return u
}

// Forget leaves a block that was given back out of those handed out so far.
//
//poolgen:if feature.Streams && feature.Counters
func (t *Tally) Forget() { t.allocs-- }

// Again counts a block of n bytes as live, but not as handed out: it was counted before, and given back or as a part of another.
func Again(t *Tally, n uint64) {
	t.live++
	t.bytes += n
}
