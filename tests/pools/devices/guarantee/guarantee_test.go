//go:build cudasim

package guarantee

import (
	"flag"
	"runtime/debug"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

var all = flag.Bool("guarantee.all", false, "run 1,000,000 steps a pool")

// steps is the length of a run.
func steps() int {
	switch {
	case *all:
		return 1e6
	case testing.Short():
		return 1e4
	}
	return 1e5
}

// A request fails only if memory is not there: the table of docs/behaviour.md, "The guarantee". No call lets a pool exceed its limit.
func TestGuarantee(t *testing.T) {
	if poolrt.Debug {
		t.Skip("debug builds obtain twice the memory, and have the driver fill it")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // little is live, and much garbage is made
	for _, g := range groups {
		t.Run(g.kinds[0].name, func(t *testing.T) {
			m := newModel(t, g.budget, g.device, g.kinds)
			defer m.close()
			for m.step = range steps() {
				m.next()
				m.withinLimits()
			}
			t.Logf("%d requests, %d refused, as they may be", m.requests, m.refusals)
		})
	}
}
