package testing

import (
	"testing"

	"github.com/poolgen/poolgen/tests/schedules/explore"
)

// A check that fails is a fault of the schedule.
func TestFatalf(t *testing.T) {
	r := explore.Explore(explore.Options{}, explore.Program{Finish: func() { new(T).Fatalf("%d is wrong", 7) }})
	if r.Fault != "7 is wrong" {
		t.Errorf("the fault is %q", r.Fault)
	}
}
