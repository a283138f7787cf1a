//go:build explored

package strips

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/bump"
	"github.com/poolgen/poolgen/tests/schedules/explore"
	"github.com/poolgen/poolgen/tests/schedules/scenario"
)

// pool is a Core whose blocks can be freed: when the first one is, all are.
type pool struct{ Core }

// newPool returns a core with parameters for the chunks.
func newPool() scenario.Pool {
	p := new(pool)
	p.Set(&Params{Params: bump.Params{Granule: 16, Counters: true}})
	return p
}

func (p *pool) Free(_, _ uint64) (slot uint32, v poolimpl.Verdict) {
	p.Reset()
	return 0, poolimpl.Freed
}

// Cases returns the programs to explore.
func Cases(name string) []explore.Case {
	s := &scenario.Subject{
		Name:      name,
		Unit:      16,
		New:       newPool,
		Fast:      func(p scenario.Pool, n uint64) (slot uint32, off uint64, ok bool) { return p.(*pool).AllocFast(n) },
		Near:      func(p scenario.Pool, n uint64) (slot uint32, off uint64, ok bool) { return p.(*pool).Alloc(n, 1) },
		Check:     func(scenario.Pool) {},
		Waste:     scenario.State.NoRun,
		Word:      func(p scenario.Pool, _ string) { p.(*pool).Reset() }, // z
		Scenarios: scenarios,
	}
	return s.Cases()
}

// A strip has eight units. Requests of more than one unit are for the chunk, which has no room behind its strips.
var scenarios = []scenario.Scenario{
	{Name: "two allocations", Chunks: []uint64{8}, Threads: []string{"a", "a"}},
	{Name: "two allocations of a strip", Chunks: []uint64{16}, Before: "a", Threads: []string{"a", "a"}},
	{Name: "the last block", Chunks: []uint64{8}, Before: "a a a a a a a", Threads: []string{"a", "a"}},
	{Name: "a strip is full", Chunks: []uint64{16}, Before: "a a a a a a a", Threads: []string{"a a", "a"}},
	{Name: "all of a new strip", Chunks: []uint64{16}, Threads: []string{"A", "q8"}},
	{Name: "a reset", Chunks: []uint64{8}, Before: "a", Threads: []string{"a a", "z a"}},
	{Name: "a chunk comes", Chunks: []uint64{8, 8}, Before: "*", Threads: []string{"a", "+1"}},
	{Name: "an eviction", Chunks: []uint64{8}, Threads: []string{"a", "e0"}},
	{Name: "a count", Chunks: []uint64{8}, Threads: []string{"a", "u"}},
}
