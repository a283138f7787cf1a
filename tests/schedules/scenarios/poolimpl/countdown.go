//go:build explored

package poolimpl

import (
	"github.com/poolgen/poolgen/tests/schedules/explore"
)

// Of several callers that find a countdown at its end, one gets the sample, and the next interval begins
// whole. Requests that are spent meanwhile may be lost, as the comment of Countdown says, so none are here.
func countdownCases() (list []explore.Case) {
	var c *Countdown
	taken := 0
	const interval = 4
	take := func() {
		if c.take(func() uint64 { return interval }) {
			taken++
		}
	}
	add := func(name string, begun bool, left, samples int, threads ...func()) {
		setup := func() {
			c, taken = new(Countdown), 0
			c.left.Store(^uint64(0))
			c.begun.Store(begun)
			explore.Identify(c)
		}
		finish := func() {
			if n := int(c.left.Load()); taken != samples || n != left {
				explore.Failf("%d samples, and %d is left", taken, n)
			}
		}
		list = append(list, newCase("Countdown", name, setup, finish, threads...))
	}
	add("two take", true, interval, 1, take, take)
	add("three take", true, interval, 1, take, take, take)
	add("the first interval", false, interval-1, 0, take, take)
	add("the first interval, and three", false, interval-1, 0, take, take, take)
	return list
}
