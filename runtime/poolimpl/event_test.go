package poolimpl

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// record collects the events of a pool as strings.
func record(t *testing.T, p *rig, also func(poolrt.Event)) *[]string {
	var mu sync.Mutex
	var got []string
	t.Cleanup(poolrt.OnEvent(func(ev poolrt.Event) {
		if ev.Pool != p.config.Name {
			return
		}
		mu.Lock()
		got = append(got, fmt.Sprintf("%v %d %d", ev.Kind, ev.Bytes, ev.Reserved))
		mu.Unlock()
		if also != nil {
			also(ev)
		}
	}))
	return &got
}

func TestEvents(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Name, c.Limit, c.SoftLimit = "test.Events", 250, 150 })
	got := record(t, p, nil)
	a, b := p.mustAlloc(100), p.mustAlloc(100)
	_, err := p.alloc(60)
	wantErr(t, "alloc", err, poolrt.ErrLimit)
	_ = p.Refuse(badCount, 0)
	p.mustFree(a, b)
	_, _ = p.Trim(0)
	want := []string{"growth 100 100", "soft limit 200 200", "growth 100 200", "failure 60 200", "failure 0 200", "trim 200 0"}
	if !slices.Equal(*got, want) {
		t.Errorf("got  %q\nwant %q", *got, want)
	}
}

// TestHookUsesPool: a hook may call the pool of its event, and a panic in a hook leaves the pool usable.
func TestHookUsesPool(t *testing.T) {
	for _, locked := range []bool{false, true} {
		p := newRig(t, func(c *Config) { c.Name, c.Locked, c.Trim = "test.Hook", locked, &TrimPolicy{} })
		depth := 0
		stop := poolrt.OnEvent(func(ev poolrt.Event) {
			if ev.Pool != "test.Hook" || depth > 3 {
				return
			}
			depth++
			p.mustFree(p.mustAlloc(100))
			_, _ = p.Trim(0)
			_ = p.Stats()
			_, _ = p.alloc(101)
		})
		p.mustFree(p.mustAlloc(100))
		if depth != 4 {
			t.Errorf("%d events", depth)
		}
		stop()
		stop = poolrt.OnEvent(func(poolrt.Event) { panic("hook") })
		guarded(t, func() { p.mustAlloc(100) })
		stop()
		stop()
		p.sound()
		wantErr(t, "close", p.closeForce(), nil)
	}
}

// TestHookBeforeWaiting: hooks are called before the allocation waits.
func TestHookBeforeWaiting(t *testing.T) {
	p := newRig(t, func(c *Config) {
		c.Name, c.Budget, c.Oversize, c.Ladder = "test.Wait", NewBudget("B", 150), true, []Rung{TrimRung{}, WaitRung{}}
	})
	live := p.mustAlloc(50)
	p.mustFree(p.mustAlloc(50))
	x := p.mustAlloc(100 - 50)
	y := p.mustAlloc(50) // a smaller chunk, which fills the budget
	p.mustFree(y)
	freed := false
	record(t, p, func(ev poolrt.Event) {
		if ev.Kind == poolrt.EventTrim && !freed {
			freed = true
			p.mustFree(live, x)
		}
	})
	p.mustAlloc(100) // trims the second chunk, then waits; the hook frees the first
	if !freed {
		t.Error("no event")
	}
}

func TestEventNames(t *testing.T) {
	want := []string{"growth", "trim", "soft limit", "failure", "fallback", "corruption", "leak", "sleep", "wake", "reclaim", "memory limit", "unknown"}
	for i, name := range want {
		if got := poolrt.EventKind(i).String(); got != name {
			t.Errorf("%d: %s", i, got)
		}
	}
	poolrt.OnEvent(nil)()
}
