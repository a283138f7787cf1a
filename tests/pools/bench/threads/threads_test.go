package threads

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// In each turn, a large churn replaces most of its blocks before it is measured.
func TestFirst(t *testing.T) {
	for kind, want := range map[string]int{"blocks": piece, "bytesMany": 2 * manyLive, "device many": 2 * manyLive} {
		var calls []int
		s := subject{name: "counts", kind: kind, start: func(n int) session {
			return session{each(n, func(int) work { return func(n int) int { calls = append(calls, n); return n } }), nil}
		}}
		measure(crowd{}, []subject{s}, 1, Options{Turns: 1}) // in no time: nothing but the first operations of two turns, one of which is dropped
		if want := []int{want, want}; !slices.Equal(calls, want) {
			t.Errorf("%s: called for %v operations, want %v", kind, calls, want)
		}
	}
}

// A subject that fails, at any time, is listed as lost, and the others are measured.
func TestLost(t *testing.T) {
	fails := errors.New("no memory")
	good := func(n int) session {
		return session{each(n, func(int) work { return func(n int) int { return n } }), nil}
	}
	late := 0
	all := []subject{
		{name: "good", kind: "blocks", start: good},
		{name: "at once", kind: "blocks", start: func(int) session { panic(fails) }},
		{name: "later", kind: "blocks", start: func(n int) session {
			return session{each(n, func(int) work {
				return func(n int) int {
					if late++; late > 10 {
						check(fails)
					}
					return n
				}
			}), nil}
		}},
		{name: "in the end", kind: "blocks", start: func(n int) session { s := good(n); s.end = func() { check(fails) }; return s }},
		{name: "elsewhere", kind: "device blocks", timed: func(n int, _ time.Duration) (float64, error) { return 0, fails }},
	}
	c := measure(crowd{}, all, 1, Options{Turns: 3, Span: time.Microsecond, Only: regexp.MustCompile("")})
	var names []string
	for _, r := range c.rows {
		names = append(names, r.name)
	}
	if got := strings.Join(names, ", "); got != "good, in the end" || len(c.lost) != 4 {
		t.Errorf("measured %s; lost %q", got, c.lost)
	}
	var b strings.Builder
	if err := c.print(&b); err != nil || strings.Count(b.String(), "no memory") != 4 {
		t.Errorf("%v\n%s", err, &b)
	}
}
