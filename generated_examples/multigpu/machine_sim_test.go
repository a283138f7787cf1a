//go:build cudasim

package multigpu

import (
	"testing"

	"github.com/poolgen/poolgen/cuda/sim"
)

// machine starts over with a simulated machine, and looks at the end of the test for what is left over and for uses of memory that
// nothing orders.
func machine(t *testing.T) {
	t.Helper()
	sim.Reset(sim.Config{Schedule: 1, Hazards: true})
	t.Cleanup(func() {
		for _, h := range sim.Hazards() {
			t.Error(h)
		}
		for _, l := range append(sim.Leaks(), sim.BadReleases()...) {
			t.Error(l)
		}
	})
}
