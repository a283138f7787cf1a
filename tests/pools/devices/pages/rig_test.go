//go:build cudasim

package pages

import (
	"testing"

	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// machine is one of two devices.
func machine(t *testing.T) {
	t.Helper()
	rig.Machine(t, sim.Config{Devices: 2, Capacity: 64 << 20, Schedule: 1})
}
