//go:build cudasim

package rungs

import (
	"errors"
	"testing"

	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// If two calls of the driver fail, nothing is lost, also of blocks that come from the driver itself.
func TestPairs(t *testing.T) {
	rig.Pairs(t, sim.Config{Devices: 1, Schedule: 1}, 20, map[string]func() any{
		"Ring": func() any { return new(RingPool) }, "Page": func() any { return new(PagePool) }, "Heap": func() any { return new(HeapPool) },
		"Stage": func() any { return new(StagePool) }, "Quiet": func() any { return new(QuietPool) },
		"Small": func() any { bigDefault = BigPool{}; return borrowing{new(SmallPool)} },
	}, 1000, 100<<10)
	rig.Pairs(t, sim.Config{Devices: 1, Schedule: 1}, 20, map[string]func() any{ // streams use what comes from elsewhere
		"CleanRing":  func() any { return new(CleanRingPool) },
		"CleanSmall": func() any { bigDefault = BigPool{}; return borrowingClean{new(CleanSmallPool)} },
	}, 100<<10, 1000)
}

// borrowing is a pool that borrows, together with the pool that lends. Both are closed: nothing of the lender is live when the borrower is closed.
type borrowing struct{ *SmallPool }

func (b borrowing) CloseForce() error {
	return errors.Join(b.SmallPool.CloseForce(), bigDefault.Close())
}

// borrowingClean is borrowing for blocks that the device clears.
type borrowingClean struct{ *CleanSmallPool }

func (b borrowingClean) CloseForce() error {
	return errors.Join(b.CleanSmallPool.CloseForce(), bigDefault.Close())
}
