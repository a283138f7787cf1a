package snapshot

import (
	"strings"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Calls that a snapshot has once, and JSON many times, are bounded: those of events, and those of a group in each pool.
func TestBounded(t *testing.T) {
	long := []poolrt.Frame{{Function: strings.Repeat("x", 1<<20)}}
	p := sample().Pools[0]
	for name, change := range map[string]func(s *poolrt.Snapshot){
		"events": func(s *poolrt.Snapshot) {
			s.Pools[0].Events = make([]poolrt.FlightEvent, 300)
			for i := range s.Pools[0].Events {
				s.Pools[0].Events[i].Site = 1
			}
		},
		"pools": func(s *poolrt.Snapshot) {
			p.Events = nil
			for range 300 {
				s.Pools = append(s.Pools, p)
			}
		},
	} {
		s := sample()
		change(s)
		if err := Bounded(sample(), s); err != nil {
			t.Errorf("%s with usual calls: %v", name, err)
		}
		s.Sites[0].Frames = long
		if err := Bounded(sample(), s); err == nil || !strings.HasPrefix(err.Error(), "the calls, with each") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
