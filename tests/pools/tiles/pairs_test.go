//go:build cudasim

package tiles

import (
	"testing"

	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// If two calls of the driver fail, nothing is lost.
func TestPairs(t *testing.T) {
	rig.Pairs(t, sim.Config{Devices: 1, Schedule: 1}, 50, map[string]func() any{
		"Page": func() any { return new(PagePool) }, "Plain": func() any { return new(PlainPool) }, "Fit": func() any { return new(FitPool) },
		"Class": func() any { return new(ClassPool) }, "Bin": func() any { return new(BinPool) }, "SharedBin": func() any { return new(SharedBinPool) },
		"Turn": func() any { return new(TurnPool) }, "Frame": func() any { return new(FramePool) }, "Alone": func() any { return new(AlonePool) },
		"Single": func() any { return new(SinglePool) }, "Quad": func() any { return new(QuadPool) }, "Mine": func() any { return new(MinePool) },
		"Late": func() any { return new(LatePool) }, "Spare": func() any { return new(SparePool) }, "Vast": func() any { return new(VastPool) },
		"Wide": func() any { return new(WidePool) }, "Piece": func() any { return new(PiecePool) }, "Every": func() any { return new(EveryPool) },
		"EveryQuad": func() any { return new(EveryQuadPool) },
	}, 1000, 14<<10)
}
