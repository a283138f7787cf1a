//go:build cudasim

package pages

import (
	"testing"

	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// If two calls of the driver fail, no page is lost.
func TestPairs(t *testing.T) {
	rig.Pairs(t, sim.Config{Devices: 2, Capacity: 64 << 20, Schedule: 1}, 50, map[string]func() any{
		"Flow": func() any { return new(FlowPool) }, "Plain": func() any { return new(PlainPool) }, "First": func() any { return new(FirstPool) },
		"Best": func() any { return new(BestPool) }, "Alone": func() any { return new(AlonePool) }, "Binned": func() any { return new(BinnedPool) },
		"Classed": func() any { return new(ClassedPool) }, "Quick": func() any { return new(QuickPool) }, "QuickFlow": func() any { return new(QuickFlowPool) },
		"Idle": func() any { return new(IdlePool) }, "QuickBins": func() any { return new(QuickBinsPool) }, "IdleBins": func() any { return new(IdleBinsPool) },
		"IdleSizes": func() any { return new(IdleSizesPool) }, "Coarse": func() any { return new(CoarsePool) }, "Odd": func() any { return new(OddPool) },
		"Doubling": func() any { return new(DoublingPool) }, "Clear": func() any { return new(ClearPool) }, "Left": func() any { return new(LeftPool) },
		"Right": func() any { return new(RightPool) }, "Ready": func() any { return new(ReadyPool) }, "Peered": func() any { return new(PeeredPool) },
		"Moving": func() any { return new(MovingPool) }, "MovingBins": func() any { return new(MovingBinsPool) },
		"MovingSizes": func() any { return new(MovingSizesPool) },
		"Many":        func() any { return new(ManyPool) }, "ManyFlow": func() any { return new(ManyFlowPool) }, "ManyMoving": func() any { return new(ManyMovingPool) },
		"ManySizes": func() any { return new(ManySizesPool) }, "ManyQuick": func() any { return new(ManyQuickPool) },
		"Open": func() any { return new(OpenPool) },
	}, page/2, 3*page)
}
