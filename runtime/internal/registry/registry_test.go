package registry

import (
	"fmt"
	"slices"
	"testing"
)

// first and second stand for engines. Pools of both types are in one list.
type first struct{ name string }

type second struct{ name string }

func (p *first) Name() string { return p.name }

// Pools are listed in order of first use, by type or by what they implement, until they are removed.
func TestPoolsAreListedByType(t *testing.T) {
	a, b, c := &first{"a"}, &second{"b"}, &first{"c"}
	for _, p := range []any{a, b, c} {
		Register(p)
		defer Unregister(p)
	}
	if got := All[*first](); !slices.Equal(got, []*first{a, c}) {
		t.Errorf("of the first type there are %v", got)
	}
	if got := All[interface{ Name() string }](); len(got) != 2 || got[1].Name() != "c" {
		t.Errorf("with a name there are %v", got)
	}
	Unregister(a)
	Unregister(a) // is not there any more
	if got := All[any](); !slices.Equal(got, []any{b, c}) {
		t.Errorf("without the first, there are %v", got)
	}
}

// Each listener gets the events in their order until it is stopped, also while another listener panics. Two registrations of one function are two listeners.
func TestEventsReachListeners(t *testing.T) {
	var heard []string
	hear := func(who string) func(any) { return func(e any) { heard = append(heard, fmt.Sprint(who, e)) } }
	f := hear("f")
	stops := []func(){Listen(f), Listen(func(any) { panic("oh") }), Listen(f), Listen(hear("g"))}
	stops[0]()
	stops[0]()
	func() {
		defer func() {
			if r := recover(); r == nil {
				t.Error("the panic of a listener is lost")
			}
		}()
		Send([]int{1, 2})
	}()
	if want := []string{"f1", "f2", "g1", "g2"}; !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
	if !Listening() {
		t.Error("nobody listens")
	}
	for _, stop := range stops {
		stop()
	}
	if Send([]int{3}); Listening() || len(heard) > 4 {
		t.Errorf("after the end %q is heard", heard[4:])
	}
}
