//go:build cudasim

package gpu

import (
	"testing"

	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/pools/gpu/pools"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// If two calls of the driver fail, nothing is lost.
func TestPairs(t *testing.T) {
	rig.Pairs(t, sim.Config{Devices: 1, Capacity: 1 << 30, Schedule: 1}, 5, map[string]func() any{
		"Cell": func() any { return new(pools.CellPool) }, "CellAlone": func() any { return new(pools.CellAlonePool) },
		"Heap": func() any { return new(pools.HeapPool) }, "HeapAlone": func() any { return new(pools.HeapAlonePool) },
		"Binned": func() any { return new(pools.BinnedPool) }, "BinnedAlone": func() any { return new(pools.BinnedAlonePool) },
		"Classes": func() any { return new(pools.ClassesPool) }, "ClassesAlone": func() any { return new(pools.ClassesAlonePool) },
		"Plain": func() any { return new(pools.PlainPool) }, "Async": func() any { return new(pools.AsyncPool) }, "Custom": func() any { return new(pools.CustomPool) },
		"Virtual": func() any { return new(pools.VirtualPool) }, "Arena": func() any { return new(pools.ArenaPool) },
	})
}
