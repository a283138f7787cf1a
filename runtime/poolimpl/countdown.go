package poolimpl

import (
	"math/bits"
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/internal/build"
)

// Countdown decides which blocks of a pool are sampled: see [Sampling]. Each request spends its weight, and the one that spends what is left is sampled. What an
// interval begins with is exponentially distributed, so whatever was spent before, a request is sampled with the same probability, which depends on its weight
// alone. Several countdowns of a pool, each with a part of the requests, do the same as one.
//
// A pool without a lock has one countdown, one with a lock has one under the lock, and sharded pools have one for each processor or shard. Two goroutines may
// then use a countdown at once, as one that has read it may be moved off its processor. What one of them spends may then be lost, and the interval goes on from
// where it was: what is left has the same distribution then.
//
// The zero Countdown has not begun an interval, and counts as run out.
type Countdown struct {
	left  atomic.Uint64 // to be spent, as an int64; it has run out if that is negative
	begun atomic.Bool   // the first interval has begun
}

// CountdownOfCaller returns the countdown of the caller's processor, number Proc modulo n of those that at returns. With the build tag poolgen_noproc it returns one
// that has run out, if any has: the fast path that it made leave had another place on the stack, so Proc may name another countdown now.
func CountdownOfCaller(n uint32, at func(i uint32) *Countdown) *Countdown {
	if !Pins {
		for i := range n {
			if c := at(i); c.Due() {
				return c
			}
		}
	}
	return at(Proc() % n)
}

// Early counts requests before the first chunk. A core may get them before its parameters.
type Early struct {
	requests, bytes atomic.Uint64 // that countdown has not spent yet
	countdown       Countdown
}

// Note counts a request.
func (e *Early) Note(bytes uint64) {
	e.requests.Add(1)
	e.bytes.Add(bytes)
}

// Countdown returns one that has spent what was noted.
func (e *Early) Countdown(w Weights) *Countdown {
	e.countdown.Spend(e.requests.Swap(0)*w.PerBlock + e.bytes.Swap(0)*w.PerByte)
	return &e.countdown
}

// Spend counts a request. It reports whether the countdown has run out; the caller then leaves the fast path, and the engine takes the sample. Spend is part of
// the fast path.
func (c *Countdown) Spend(weight uint64) (due bool) {
	left := c.left.Load() - weight
	c.set(left)
	return int64(left) < 0
}

// Due reports whether the countdown has run out.
func (c *Countdown) Due() bool { return int64(c.left.Load()) < 0 }

// SpendSome counts as many of n requests as it can without running out, and returns how many.
func (c *Countdown) SpendSome(n int, weight uint64) int {
	left := c.left.Load()
	if int64(left) < 0 {
		return 0
	}
	some := min(uint64(n), left/max(weight, 1))
	c.set(left - some*weight)
	return int(some)
}

// Return takes back n requests that SpendSome has counted.
func (c *Countdown) Return(n int, weight uint64) { c.set(c.left.Load() + uint64(n)*weight) }

// take reports whether the countdown has run out, and begins the next interval if so. Of several callers, one gets the sample. A goroutine that has moved to
// another processor since it spent its weight leaves the sample to the next request on the processor where it was. interval returns the length of an interval.
func (c *Countdown) take(interval func() uint64) (sampled bool) {
	for {
		left := c.left.Load()
		if int64(left) >= 0 {
			return false
		}
		next := interval()
		sampled = c.begun.Load()
		if !sampled { // what was spent so far belongs to this interval
			next += left
		}
		if c.left.CompareAndSwap(left, next) {
			if c.begun.Swap(true); sampled {
				return true
			}
		}
	}
}

// set writes what is left. Numbers of two words are written at once: half of one would be another interval.
func (c *Countdown) set(left uint64) {
	if build.Race || bits.UintSize == 32 {
		c.left.Store(left)
		return
	}
	StoreRelaxed64(&c.left, left)
}
