//go:build cudasim

package rig

import (
	"fmt"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Fault is a call of the driver that fails: the nth of a function, with a code. Without a code, no call fails.
type Fault struct {
	Function string
	Nth      int
	Code     int
}

// name returns the name of the function in errors.
func (f Fault) name() string {
	return strings.TrimSuffix(strings.TrimPrefix(f.Function, "cu"), "WithPriority")
}

// Run is a run of a program that continues when a call of the driver fails.
type Run struct {
	*testing.T
	faults int      // at most so many calls of the driver fail
	told   []string // of what failed
}

// Try calls f, which must succeed when all faults have struck.
func (r *Run) Try(what string, f func() error) {
	r.Helper()
	for range r.faults {
		err := f()
		if err == nil {
			return
		}
		r.told = append(r.told, err.Error())
	}
	if err := f(); err != nil {
		r.Errorf("%s: %v, after %q", what, err, r.told)
	}
}

// Play runs a program on a new machine with a fault, and reports whether the call of the fault was made. Nothing may remain at the end. Errors or events must
// report a failure with the name of the function, unless excused allows silence. If nothing failed, nothing may be reported.
func (f Fault) Play(t *testing.T, machine sim.Config, excused func(told string) bool, program func(*Run)) (came bool) {
	t.Helper()
	sim.Reset(machine)
	before := sim.Calls(f.Function)
	if f.Code != 0 {
		sim.Fail(f.Function, f.Nth, f.Code)
	}
	r := &Run{T: t, faults: 1}
	stop := poolrt.OnEvent(func(e poolrt.Event) {
		if e.Err != nil && !(poolrt.Debug && e.Kind == poolrt.EventLeak) { // which reports blocks that are live at the end of a program
			r.told = append(r.told, e.Err.Error())
		}
	})
	program(r)
	stop()
	came = f.Code != 0 && sim.Calls(f.Function)-before >= f.Nth
	for _, l := range append(sim.Leaks(), sim.BadReleases()...) {
		t.Error(l)
	}
	switch told := strings.Join(r.told, "\n"); {
	case !came && told != "":
		t.Errorf("nothing failed, but %s", told)
	case came && !strings.Contains(told, f.name()) && !excused(told):
		t.Errorf("the error does not say which call failed: %q", told)
	}
	return came
}

// EachDriverCall plays with each call of each function in turn that fails, with each of the codes of the function, and with none. It adds to the map how many
// calls failed, and ends the test at the first error.
func EachDriverCall(t *testing.T, name string, functions []string, codes func(string) []int, play func(*testing.T, Fault) bool, failed map[string]int) {
	t.Helper()
	play(t, Fault{})
	for _, function := range functions {
		for _, code := range codes(function) {
			failed[function] += EachCall(func(nth int) (came bool) {
				if !t.Run(fmt.Sprintf("%s %s %d %d", name, function, nth, code), func(t *testing.T) { came = play(t, Fault{function, nth, code}) }) {
					t.FailNow()
				}
				return came
			})
		}
	}
}
