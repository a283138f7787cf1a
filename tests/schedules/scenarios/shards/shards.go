//go:build explored

package shards

import (
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
	"github.com/poolgen/poolgen/tests/schedules/explore"
	"github.com/poolgen/poolgen/tests/schedules/scenario"
)

// newCore returns shards of heaps.
func newCore() scenario.Pool {
	c := new(Core)
	c.SetShards(&Params{Behind: &heap.Params{Granule: 16, MinSplit: 16, Counters: true}}, func() Behind { return new(heap.Core) })
	return c
}

// Cases returns the programs to explore.
func Cases(name string) []explore.Case {
	s := &scenario.Subject{
		Name:      name,
		Unit:      16,
		New:       newCore,
		Roots:     func(p scenario.Pool) []any { return scenario.Chunks(&p.(*Core).chunks) },
		Fast:      func(p scenario.Pool, n uint64) (slot uint32, off uint64, ok bool) { return p.(*Core).AllocFast(n) },
		Near:      func(p scenario.Pool, n uint64) (slot uint32, off uint64, ok bool) { return p.(*Core).Alloc(n, 1) },
		Check:     func(scenario.Pool) {},
		Waste:     scenario.State.NoRun,
		Word:      word,
		Scenarios: scenarios,
	}
	return s.Cases()
}

// word knows S: Steal.
func word(p scenario.Pool, word string) {
	if word == "S" {
		p.(*Core).Steal()
	}
}

var scenarios = []scenario.Scenario{
	{Name: "two allocations", Chunks: []uint64{4, 4}, Threads: []string{"a", "a2"}},
	{Name: "an allocation and a free", Chunks: []uint64{4, 4}, Before: "a a2", Threads: []string{"a", "f0"}},
	{Name: "one block freed twice", Chunks: []uint64{4}, Before: "a a", Threads: []string{"f0", "f0"}},
	{Name: "a free of a part", Chunks: []uint64{4}, Before: "a2", Threads: []string{"f@0.0", "f0"}},
	{Name: "a free at the limit", Chunks: []uint64{2}, Before: "*", Threads: []string{"A", "f1"}},
	{Name: "an allocation and an eviction", Chunks: []uint64{2, 2}, Threads: []string{"a", "e0"}},
	{Name: "a free and an eviction", Chunks: []uint64{2}, Before: "a", Threads: []string{"f0", "e0"}},
	{Name: "a chunk comes back", Chunks: []uint64{2}, Threads: []string{"a fx", "E0"}},
	{Name: "the first chunk comes", Chunks: []uint64{2}, Threads: []string{"a", "+0"}},
	{Name: "a chunk comes", Chunks: []uint64{2, 2}, Before: "*", Threads: []string{"a", "+1"}},
	{Name: "an empty chunk is taken over", Chunks: []uint64{2, 2}, Before: "a", Threads: []string{"S", "a2"}},
	{Name: "a chunk is freed and taken over", Chunks: []uint64{2, 2}, Before: "a a2", Threads: []string{"f1", "S", "a"}},
	{Name: "a count", Chunks: []uint64{2}, Before: "a", Threads: []string{"a fx", "u"}},
	{Name: "a block is passed on", Chunks: []uint64{4}, Before: "a", Threads: []string{"a !", "f! a"}},
	{Name: "a search in a full pool", Chunks: []uint64{2}, Before: "*", Threads: []string{"C", "f0"}},
	{Name: "a shut", Chunks: []uint64{2}, Threads: []string{"a fx", "X"}},
}
