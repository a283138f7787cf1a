//go:build cudasim

package recycling

import (
	"testing"

	"github.com/poolgen/poolgen/cuda/sim"
)

// deviceBytes is how much memory the simulated device has.
const deviceBytes = 32 << 20

// machine starts over with a simulated machine, and looks at the end of the test for what is left over and for uses of memory that
// nothing orders.
func machine(t testing.TB) {
	t.Helper()
	sim.Reset(sim.Config{Schedule: 1, Hazards: true, Capacity: deviceBytes})
	t.Cleanup(func() {
		for _, f := range sim.Findings() {
			t.Error(f)
		}
	})
}
