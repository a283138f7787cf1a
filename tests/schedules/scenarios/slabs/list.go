//go:build explored

package slabs

import "github.com/poolgen/poolgen/tests/schedules/scenario"

// A chunk of eight units has room for two slabs of four blocks of a unit, in two lines each.
var scenarios = []scenario.Scenario{
	{Name: "two allocations", Chunks: []uint64{8}, Threads: []string{"a", "a"}},
	{Name: "two allocations of a slab", Chunks: []uint64{8}, Before: "a", Threads: []string{"a", "a"}},
	{Name: "an allocation and a free", Chunks: []uint64{8}, Before: "a a", Threads: []string{"a", "f0"}},
	{Name: "one block freed twice", Chunks: []uint64{8}, Before: "a a", Threads: []string{"f0", "f0"}},
	{Name: "two frees of a line", Chunks: []uint64{8}, Before: "a a", Threads: []string{"f0", "f1"}},
	{Name: "a free of a part", Chunks: []uint64{8}, Before: "a2", Threads: []string{"f@0.0", "f0"}},
	{Name: "the last block", Chunks: []uint64{8}, Before: "* f3", Threads: []string{"a", "a"}},
	{Name: "a free at the limit", Chunks: []uint64{8}, Before: "*", Threads: []string{"A", "f1"}},
	{Name: "an empty slab goes back", Chunks: []uint64{8}, Before: "a", Threads: []string{"f0", "F"}},
	{Name: "an allocation while an empty slab goes back", Chunks: []uint64{8}, Before: "a f0", Threads: []string{"a", "F"}},
	{Name: "a free while a slab is sealed", Chunks: []uint64{8}, Before: "a a a", Threads: []string{"f2", "F"}},
	{Name: "a slab is dissolved", Chunks: []uint64{8}, Before: "a a a a a a a a f0 f1 f2", Threads: []string{"a3", "f4"}},
	{Name: "a block is freed while its slab is dissolved", Chunks: []uint64{8}, Before: "* f0 f1", Threads: []string{"A2", "f2"}},
	{Name: "a slab is dissolved at the limit", Chunks: []uint64{8}, Before: "* f0 f1", Threads: []string{"A2", "a"}},
	{Name: "a dissolved block is freed twice", Chunks: []uint64{8}, Before: "* f0 f1 a2", Threads: []string{"f2", "f2"}},
	{Name: "another size takes the memory", Chunks: []uint64{8}, Before: "a", Threads: []string{"f0", "a8"}},
	{Name: "an eviction", Chunks: []uint64{8, 8}, Threads: []string{"a", "e0"}},
	{Name: "a free and an eviction", Chunks: []uint64{8}, Before: "a", Threads: []string{"f0", "e0"}},
	{Name: "a chunk comes back", Chunks: []uint64{8}, Threads: []string{"a fx", "E0"}},
	{Name: "a chunk comes", Chunks: []uint64{8, 8}, Before: "a8", Threads: []string{"a", "+1"}},
	{Name: "a count", Chunks: []uint64{8}, Before: "a", Threads: []string{"a fx", "u"}},
	{Name: "a block is passed on", Chunks: []uint64{8}, Before: "a", Threads: []string{"a !", "f! a"}},
	{Name: "a lost block of a failure", Chunks: []uint64{8}, Before: "*", Threads: []string{"A", "A", "f1"}},
	{Name: "a free in a full line", Chunks: []uint64{8}, Before: "a a a a", Threads: []string{"f0", "q"}},
	{Name: "a free line while its slab is sealed", Chunks: []uint64{8}, Before: "a a a a f0 f1", Threads: []string{"F", "q"}},
	{Name: "two frees of a slab at the limit", Chunks: []uint64{8}, Before: "*", Threads: []string{"f0", "f1 A"}},
	{Name: "a search in a full pool", Chunks: []uint64{8}, Before: "* f0 a", Threads: []string{"C C", "f1"}},
	{Name: "memory moves during a search", Chunks: []uint64{8}, Before: "* f0 f1 f2 f3", Threads: []string{"C3", "F"}},
	{Name: "a block of a slab that is dissolved", Chunks: []uint64{8}, Before: "* f0 f1", Threads: []string{"A2", "q"}},
	{Name: "a block of a new slab is freed", Chunks: []uint64{8}, Before: "a4", Threads: []string{"q", "q fx"}},
	{Name: "a count before a length is seen", Chunks: []uint64{8}, Before: "a", Threads: []string{"q", "u"}},
	{Name: "two counts", Chunks: []uint64{8}, Before: "a u u", Threads: []string{"q", "u u"}},
	{Name: "two lines are opened", Chunks: []uint64{8}, Before: "*", Threads: []string{"f0", "f2"}},
	{Name: "a reset", Chunks: []uint64{8}, Before: "a", Threads: []string{"q", "z"}},
	{Name: "a shut", Chunks: []uint64{8}, Threads: []string{"q fx", "X"}},
	{Name: "a pending block", Chunks: []uint64{8}, Before: "a a", Threads: []string{"d0 b fx", "f0"}, Only: "Streams"},
	{Name: "a pending block of a slab that is dissolved", Chunks: []uint64{8}, Before: "* f0 f1", Threads: []string{"A2", "d2 c"}, Only: "Streams"},
	{Name: "a pending block is live again in a slab that is dissolved", Chunks: []uint64{8}, Before: "* f0 f1", Threads: []string{"A2", "d2 b"}, Only: "Streams"},
	{Name: "a count that overflows", Chunks: []uint64{8}, Before: "a a f1 a f0", Threads: []string{"q", "f2"}, Only: "Streams"},
}
