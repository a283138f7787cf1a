// Package tally counts what a suballocator has handed out. It is linked into the suballocators that
// serve blocks of many sizes; each of its methods is small enough to be inlined.
package tally

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
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

// CountAlloc counts a block of n bytes handed out.
func (t *Tally) CountAlloc(n uint64) {
	t.live++
	t.bytes += n
	if feature.Counters {
		t.allocs++
		if t.bytes > t.peak {
			t.peak = t.bytes
		}
	}
}

// CountFree counts a block of n bytes coming back.
func (t *Tally) CountFree(n uint64) {
	t.live--
	t.bytes -= n
}

// Usage returns what was counted; the suballocator fills in the rest.
func (t *Tally) Usage() poolimpl.Usage {
	u := poolimpl.Usage{Live: t.live, LiveBytes: t.bytes}
	if feature.Counters {
		u.Allocs, u.PeakBytes = t.allocs, t.peak
	}
	return u
}

// Uncount leaves a block that was given back out of those handed out so far.
//
//poolgen:if feature.Counters
func (t *Tally) Uncount() { t.allocs-- }

// CountLive counts a block of n bytes as live, but not as handed out: it was counted before, and given back or as a part of another.
func CountLive(t *Tally, n uint64) {
	t.live++
	t.bytes += n
}
