package poolimpl

import (
	"testing"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// HeldLongest surveys a pool as a snapshot does, and returns the longest time that it held the lock.
func (e *Engine) HeldLongest() (longest time.Duration) {
	timed := func(f func()) {
		start := time.Now()
		f()
		longest = max(longest, time.Since(start))
	}
	var p poolrt.PoolSnapshot
	var slots []uint32
	timed(func() { p, slots = e.outline() })
	step := make([]poolrt.Piece, 0, surveyStep)
	for i, slot := range slots {
		s := survey{size: p.Chunks[i].Size, batch: step}
		for last := false; !last; s.commit(last) {
			timed(func() { last, _ = e.surveyStep(&s, slot, p.Chunks[i].Addr) })
		}
	}
	return longest
}

// CheckInvariants checks the invariants of an engine between operations.
func CheckInvariants(t testing.TB, e *Engine) {
	t.Helper()
	checkInvariants(t, e)
}

// RangesReserved reports whether pools of host memory reserve addresses here.
func RangesReserved() bool { return hostSource{}.addresses() != nil }
