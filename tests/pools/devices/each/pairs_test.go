//go:build cudasim

package each

import (
	"testing"

	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// If two calls of the driver fail, nothing is lost.
func TestPairs(t *testing.T) {
	rig.Pairs(t, sim.Config{Devices: devices, Schedule: 1}, 50, map[string]func() any{
		"Cell": func() any { return new(CellPool) }, "Row": func() any { return new(RowPool) }, "Frame": func() any { return new(FramePool) },
		"Mine": func() any { return new(MinePool) }, "MinePage": func() any { return new(MinePagePool) }, "Stage": func() any { return new(StagePool) },
		"Both": func() any { return new(BothPool) }, "Direct": func() any { return new(DirectPool) },
	})
}
