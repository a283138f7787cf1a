package poolrt_test

import (
	"errors"
	"slices"
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
