//go:build explored

package slabs

import (
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/shards"
	"github.com/poolgen/poolgen/tests/schedules/explore"
	"github.com/poolgen/poolgen/tests/schedules/scenario"
)

// newCore returns a core with heaps behind.
func newCore(streams bool) scenario.Pool {
	c := new(Core)
	behind := &heap.Params{Granule: 16, MinSplit: 16, Counters: true, Streams: streams}
	params := &Params{Shards: shards.Params{Behind: behind, Streams: streams}, Bins: []uint64{16, 32}, LeastBlocks: 2, Counters: true, AllocsOn: streams}
	c.SetSlabs(params, func() shards.Behind { return new(heap.Core) })
	return c
}

// Cases returns the programs to explore.
func Cases(name string) []explore.Case {
	s := &scenario.Subject{
		Name:      name,
		Unit:      16,
		Short:     1,
		New:       func() scenario.Pool { return newCore(name == "slabsStreams") },
		Roots:     func(p scenario.Pool) []any { return scenario.Chunks(&p.(*Core).chunks) },
		Fast:      func(p scenario.Pool, n uint64) (slot uint32, off uint64, ok bool) { return p.(*Core).AllocFast(n) },
		Near:      func(p scenario.Pool, n uint64) (slot uint32, off uint64, ok bool) { return p.(*Core).Alloc(n, 1) },
		Check:     func(p scenario.Pool) { p.(*Core).check() },
		Waste:     scenario.State.NoRun,
		Word:      word,
		Scenarios: scenarios,
	}
	return s.Cases()
}

// check looks whether each line with a free block has a bit, or is an opened one.
func (c *Core) check() {
	for _, s := range c.all() {
		h, opened := s.in.list.Load(), s.in.opened.word.Load()
		for w := range uint32(s.lines) {
			i, isOpened := s.firstLine+w, false
			for o := opened; o != 0; o >>= indexBits {
				isOpened = isOpened || o&lastIndex == uint64(i+1)
			}
			if !s.isFull(w) && !isOpened && (!h.partial.Has(i) || h.none.Load()) {
				explore.Failf("line %d of slab %#x has a free block, and no bit", w, s.addr)
			}
		}
	}
}

// word knows F: Flush.
func word(p scenario.Pool, word string) {
	switch word {
	case "F":
		p.(*Core).Flush()
	case "z":
		p.(*Core).Reset()
	}
}
