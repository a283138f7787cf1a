package sync

import (
	"testing"

	"github.com/poolgen/poolgen/tests/schedules/explore"
)

// A condition variable wakes one caller or all.
func TestCond(t *testing.T) {
	for name, wake := range map[string]func(*Cond){"Broadcast": (*Cond).Broadcast, "Signal twice": func(c *Cond) { c.Signal(); c.Signal() }} {
		var mu Mutex
		var c Cond
		var ready bool
		wait := func() {
			mu.Lock()
			for !ready {
				c.Wait()
			}
			mu.Unlock()
		}
		prog := explore.Program{
			Setup:   func() { ready, c = false, Cond{L: &mu} },
			Threads: []func(){wait, wait, func() { mu.Lock(); ready = true; mu.Unlock(); wake(&c) }},
		}
		if r := explore.Explore(explore.Options{Bound: explore.Budget{Preemptions: 2}}, prog); r.Fault != "" || !r.Exhausted {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestTryLock(t *testing.T) {
	var mu Mutex
	if !mu.TryLock() || mu.TryLock() {
		t.Error("TryLock does not say whether the lock was free")
	}
	if mu.Unlock(); !mu.TryLock() {
		t.Error("the lock is not free after Unlock")
	}
}
