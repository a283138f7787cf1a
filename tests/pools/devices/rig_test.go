//go:build cudasim

package devices

import (
	"testing"

	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// machine is rig.Machine with streams that run by themselves.
func machine(t *testing.T, cfg sim.Config) {
	t.Helper()
	if cfg.Schedule == 0 {
		cfg.Schedule = 1
	}
	rig.Machine(t, cfg)
}
