package poolimpl

import (
	"testing"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// spend makes each call of the source take some time.
func spend(int) error { time.Sleep(time.Millisecond); return nil }

func TestMeterCountsCallsOfTheSource(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Prime, c.Trim = 200, &TrimPolicy{Keep: 100} })
	p.source.onAlloc, p.source.onFree = spend, spend
	var m poolrt.Meter
	expect := func(what string, calls int64) {
		t.Helper()
		if m.Calls() != calls || m.Time() < time.Duration(calls)*time.Millisecond {
			t.Errorf("%s: %d calls in %v, want %d", what, m.Calls(), m.Time(), calls)
		}
	}
	fatal.If(t, p.ready().Open(poolrt.WithMeter(&m)))
	expect("opened", 2)
	var live []block
	for range 3 {
		b, err := p.alloc(100)
		fatal.If(t, err)
		live = append(live, b)
	}
	expect("grown", 3)
	for _, b := range live {
		fatal.If(t, p.free(b))
	}
	if _, err := p.Trim(0); err != nil {
		t.Fatal(err)
	}
	expect("all given back", 6)
}

// Failed calls count too.
func TestMeterCountsFailures(t *testing.T) {
	p := newRig(t, nil)
	p.source.onAlloc = func(int) error { return errNoMemory }
	var m poolrt.Meter
	fatal.If(t, p.ready().Open(poolrt.WithMeter(&m)))
	if _, err := p.alloc(10); err == nil || m.Calls() != 1 {
		t.Errorf("%v, %d calls", err, m.Calls())
	}
}

// If Open fails, the pool does not use the meter of its options.
func TestMeterOfAPoolThatDidNotOpen(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Prime = 100 })
	p.source.onAlloc = func(call int) error {
		if call == 1 {
			return errNoMemory
		}
		return nil
	}
	var m poolrt.Meter
	if err := p.ready().Open(poolrt.WithMeter(&m)); err == nil {
		t.Fatal("opened without memory")
	}
	if err := p.Open(); err != nil || m.Calls() != 1 {
		t.Errorf("%v, %d calls", err, m.Calls())
	}
}
