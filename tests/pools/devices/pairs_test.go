//go:build cudasim

package devices

import (
	"testing"

	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// If two calls of the driver fail, nothing is lost, whichever of several allocators the memory comes from.
func TestPairs(t *testing.T) {
	machine := sim.Config{Devices: 1, Schedule: 1}
	rig.Pairs(t, machine, 50, map[string]func() any{
		"Cell": func() any { return new(CellPool) }, "Shared": func() any { return new(SharedPool) }, "Own": func() any { return new(OwnPool) },
		"Clean": func() any { return new(CleanPool) }, "CleanRow": func() any { return new(CleanRowPool) }, "CleanPage": func() any { return new(CleanPagePool) },
		"CleanStage": func() any { return new(CleanStagePool) }, "CleanBoth": func() any { return new(CleanBothPool) },
		"FlowItem": func() any { return new(FlowItemPool) }, "FlowRow": func() any { return new(FlowRowPool) }, "FlowStage": func() any { return new(FlowStagePool) },
		"Stand": func() any { return new(StandPool) }, "Stage": func() any { return new(StagePool) }, "Loose": func() any { return new(LoosePool) },
		"FlowSpare": func() any { return new(FlowSparePool) }, "Reigning": func() any { return new(ReigningPool) }, "Tuned": func() any { return new(TunedPool) },
	})
	rig.Pairs(t, machine, 50, map[string]func() any{"Row": func() any { return new(RowPool) }}, 1000, 1500)
}
