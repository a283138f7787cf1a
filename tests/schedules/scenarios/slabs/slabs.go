//go:build explored

package slabs

import (
	"github.com/poolgen/poolgen/tests/schedules/explore"
	"github.com/poolgen/poolgen/tests/schedules/scenario"
)

// Cases returns the programs to explore.
func Cases(name string) []explore.Case {
	s := &scenario.Subject{
		Name:      name,
		Unit:      16,
		New:       func() scenario.Pool { return new(Core) },
		Roots:     roots,
		Fast:      func(p scenario.Pool, n uint64) (slot uint32, off uint64, ok bool) { return p.(*Core).AllocFast(n) },
		Near:      func(p scenario.Pool, n uint64) (slot uint32, off uint64, ok bool) { return p.(*Core).Alloc(n, 1) },
		Check:     func(scenario.Pool) {},
		Waste:     scenario.State.NoRun,
		Word:      word,
		Scenarios: scenarios,
	}
	return s.Cases()
}

func roots(p scenario.Pool) (list []any) {
	for _, ch := range p.(*Core).chunks.All() {
		list = append(list, ch)
	}
	return list
}

// word knows F: Flush.
func word(p scenario.Pool, word string) {
	if word == "F" {
		p.(*Core).Flush()
	}
}
