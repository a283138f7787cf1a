package poolrt_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// member is a pool of which some bytes are in use.
type member struct {
	name       string
	held, used int64
	calls      *[]string
	fails      error
}

func (m *member) Stats() poolrt.Stats { return poolrt.Stats{Reserved: m.held} }

func (m *member) Trim(keep int64) (int64, error) {
	n := max(m.held-max(keep, m.used), 0)
	m.held -= n
	return n, m.fails
}

func (m *member) Close() error {
	*m.calls = append(*m.calls, m.name)
	if m.used > 0 {
		return poolrt.ErrLive
	}
	return m.fails
}

// Together the pools keep what TrimAll says, whichever has it.
func TestTrimAll(t *testing.T) {
	broken := errors.New("broken")
	for _, test := range []struct{ keep, released, a, b, c int64 }{
		{0, 250, 50, 0, 0}, {100, 200, 50, 0, 50}, {220, 80, 50, 70, 100}, {270, 30, 70, 100, 100}, {300, 0, 100, 100, 100}, {1000, 0, 100, 100, 100},
	} {
		a, b, c := &member{held: 100, used: 50, fails: broken}, &member{held: 100}, &member{held: 100}
		n, err := poolrt.NewGroup("g", a, nil, b, c).TrimAll(test.keep)
		if n != test.released || a.held != test.a || b.held != test.b || c.held != test.c || errors.Is(err, broken) != (n > 0) {
			t.Errorf("keep %d: released %d, holding %d, %d, %d; %v", test.keep, n, a.held, b.held, c.held, err)
		}
	}
	if _, err := poolrt.NewGroup("g").TrimAll(-1); !errors.Is(err, poolrt.ErrBadSize) {
		t.Error(err)
	}
}

// valuePool is a pool of a type that Go cannot compare.
type valuePool struct {
	*member
	_ []int
}

// A pool that is listed twice counts once, as what it holds does.
func TestPoolListedTwice(t *testing.T) {
	var calls []string
	a, b := &member{name: "a", held: 100, calls: &calls}, &member{name: "b", held: 100, calls: &calls}
	g := poolrt.NewGroup("g", a, b, a)
	if n, err := g.TrimAll(150); n != 50 || a.held != 50 || b.held != 100 || err != nil {
		t.Errorf("released %d, holding %d and %d; %v", n, a.held, b.held, err)
	}
	if err := g.CloseAll(); err != nil || !slices.Equal(calls, []string{"b", "a"}) {
		t.Error(calls, err)
	}
	v := valuePool{member: &member{held: 100}}
	if n, err := poolrt.NewGroup("g", v, valuePool{member: &member{held: 100}}).TrimAll(0); n != 200 || err != nil {
		t.Errorf("released %d of 200; %v", n, err)
	}
}

// CloseAll begins with the last pool, and reports each that is still open.
func TestCloseAll(t *testing.T) {
	var calls []string
	busy, broken := &member{name: "busy", used: 1, calls: &calls}, &member{name: "broken", fails: errors.New("broken"), calls: &calls}
	g := poolrt.NewGroup("g", &member{name: "first", calls: &calls}, busy, broken)
	if err := g.CloseAll(); !errors.Is(err, poolrt.ErrLive) || !errors.Is(err, broken.fails) || !slices.Equal(calls, []string{"broken", "busy", "first"}) {
		t.Error(calls, err)
	}
	busy.used, broken.fails = 0, nil
	if err := g.CloseAll(); err != nil {
		t.Error(err)
	}
}

// dozer is a pool with the key sleep.
type dozer struct {
	member
	backing int64
	asleep  bool
	sleeps  error // of Sleep
	wakes   error // of Wake
}

func (d *dozer) Stats() poolrt.Stats { return poolrt.Stats{Backing: d.backing} }

func (d *dozer) Sleep(context.Context, ...poolrt.SleepOption) error {
	*d.calls = append(*d.calls, "sleep "+d.name)
	if d.asleep {
		return poolrt.ErrAsleep
	}
	d.asleep = d.sleeps == nil || errors.Is(d.sleeps, poolrt.ErrNotReturned)
	return d.sleeps
}

func (d *dozer) Wake(ctx context.Context) error {
	*d.calls = append(*d.calls, "wake "+d.name)
	if err := errors.Join(ctx.Err(), d.wakes); err != nil {
		return err
	}
	d.asleep = false
	return nil
}

// All pools of a group that can sleep do, or none more than before.
func TestSleepAll(t *testing.T) {
	over, cancel := context.WithCancel(context.Background())
	cancel() // does not keep pools asleep
	failed, stays := errors.New("no"), errors.New("stays asleep")
	for _, test := range []struct {
		name         string
		fails, wakes error // of the last pool and of the first
		want         string
		asleep       []bool
		errs         []error
	}{
		{"all", nil, nil, "sleep a, sleep b, sleep c", []bool{true, true, true}, nil},
		{"a failure", failed, nil, "sleep a, sleep b, sleep c, wake a", []bool{false, true, false}, []error{failed}},
		{"a failure, and one that does not wake", failed, stays, "sleep a, sleep b, sleep c, wake a", []bool{true, true, false}, []error{failed, stays}},
		{"memory that stays", poolrt.ErrNotReturned, nil, "sleep a, sleep b, sleep c", []bool{true, true, true}, []error{poolrt.ErrNotReturned}},
	} {
		var calls []string
		a := &dozer{member: member{name: "a", calls: &calls}, wakes: test.wakes}
		b := &dozer{member: member{name: "b", calls: &calls}, asleep: true}
		c := &dozer{member: member{name: "c", calls: &calls}, sleeps: test.fails}
		err := poolrt.NewGroup("g", a, &member{name: "plain", calls: &calls}, b, c).SleepAll(over)
		if got := strings.Join(calls, ", "); got != test.want {
			t.Errorf("%s: called %s, want %s", test.name, got, test.want)
		}
		if got := []bool{a.asleep, b.asleep, c.asleep}; !slices.Equal(got, test.asleep) {
			t.Errorf("%s: asleep %v, want %v", test.name, got, test.asleep)
		}
		if (err == nil) != (test.errs == nil) {
			t.Errorf("%s: %v", test.name, err)
		}
		for _, want := range test.errs {
			if !errors.Is(err, want) {
				t.Errorf("%s: %v does not match %v", test.name, err, want)
			}
		}
	}
}

// Pools with memory of the host wake first; a failure ends the call, and the next call goes on.
func TestWakeAll(t *testing.T) {
	var calls []string
	a := &dozer{member: member{name: "a", calls: &calls}}
	b := &dozer{member: member{name: "b", calls: &calls}, backing: 1, wakes: poolrt.ErrOutOfMemory}
	c := &dozer{member: member{name: "c", calls: &calls}, backing: 1}
	g := poolrt.NewGroup("g", a, b, nil, c)
	if err := g.WakeAll(context.Background()); !errors.Is(err, poolrt.ErrOutOfMemory) {
		t.Errorf("%v", err)
	}
	b.wakes = nil
	if err := g.WakeAll(context.Background()); err != nil {
		t.Error(err)
	}
	if got := strings.Join(calls, ", "); got != "wake b, wake b, wake c, wake a" {
		t.Errorf("called %s", got)
	}
}

// ranked is a pool with a priority.
type ranked struct {
	dozer
	priority int
}

func (r *ranked) Priority() int { return r.priority }

func (r *ranked) Stats() poolrt.Stats { return poolrt.Stats{Reserved: r.held, Backing: r.backing} }

// TrimAll and SleepAll begin with the lowest priority, WakeAll with the highest; a pool that has none has the usual one.
func TestPriorities(t *testing.T) {
	var calls []string
	of := func(name string) member { return member{name: name, held: 100, calls: &calls} }
	a, c := &ranked{dozer{member: of("a")}, 51}, &ranked{dozer{member: of("c")}, 49}
	b, d := &dozer{member: of("b")}, &ranked{dozer{member: of("d"), backing: 1}, 0}
	plain := &member{held: 100}
	if n, err := poolrt.NewGroup("g", a, plain, c).TrimAll(150); n != 150 || err != nil || a.held != 100 || plain.held != 50 || c.held != 0 {
		t.Errorf("%d, %v: %d, %d and %d are held", n, err, a.held, plain.held, c.held)
	}
	g := poolrt.NewGroup("g", a, b, c, d)
	if err := errors.Join(g.SleepAll(context.Background()), g.WakeAll(context.Background())); err != nil {
		t.Error(err)
	}
	if got := strings.Join(calls, ", "); got != "sleep d, sleep c, sleep b, sleep a, wake d, wake a, wake b, wake c" {
		t.Errorf("called %s", got)
	}
}
