//go:build cudasim

package sharded

import (
	"testing"

	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
	"github.com/poolgen/poolgen/tests/pools/sharded/pools"
)

// If two calls of the driver fail, nothing is lost.
func TestPairs(t *testing.T) {
	rig.Pairs(t, sim.Config{Devices: 1, Schedule: 1}, 5, map[string]func() any{
		"Grid": func() any { return new(pools.GridPool) }, "Upload": func() any { return new(pools.UploadPool) },
	})
}
