//go:build cudasim

package tiles

import (
	"testing"

	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// machine is rig.Machine with one device by default.
func machine(t *testing.T, cfg sim.Config) {
	t.Helper()
	cfg.Devices = max(cfg.Devices, 1)
	rig.Machine(t, cfg)
}

// canvas makes a canvas with a stream of its own. Both are destroyed when the test ends.
func canvas(t *testing.T) *Canvas {
	t.Helper()
	s := rig.Stream(t, 0)
	c := rig.Must(NewCanvas(0, 2048, s))
	t.Cleanup(func() { rig.Check(t, "canvas", c.Close()) })
	return c
}
