//go:build cudasim

package allreduce

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
		for _, f := range sim.Findings() {
			t.Error(f)
		}
	})
}
