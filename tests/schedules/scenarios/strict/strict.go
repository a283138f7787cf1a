//go:build explored

package strict

import (
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
	"github.com/poolgen/poolgen/tests/schedules/explore"
	"github.com/poolgen/poolgen/tests/schedules/scenario"
)

// Cases returns the programs to explore.
func Cases(name string) []explore.Case {
	s := &scenario.Subject{
		Name: name,
		Unit: blockSize,
		New:  func() scenario.Pool { return new(Core) },
		Fast: func(p scenario.Pool, _ uint64) (slot uint32, off uint64, ok bool) { return p.(*Core).AllocFast() },
		Near: func(p scenario.Pool, _ uint64) (slot uint32, off uint64, ok bool) {
			return p.(*Core).Alloc(itemBytes, 1)
		},
		Roots: func(p scenario.Pool) []any { return scenario.Chunks(&p.(*Core).chunks) },
		Run: func(p scenario.Pool, addr, next uint64) poolimpl.Verdict {
			c := p.(*Core)
			run, _ := c.Gather(addr).Join(addr)
			run, _ = run.Join(next)
			_, v := c.FreeRun(run)
			return v
		},
		Check:     func(p scenario.Pool) { p.(*Core).check(new(testing.T)) },
		Forgets:   feature.Magazines,
		Trims:     feature.Trims,
		Scenarios: scenarios,
	}
	if feature.Magazines {
		s.Word = word
	}
	return s.Cases()
}

// word does what only pools with magazines know: R recalls all magazines, T ends the turn without magazines.
//
//poolgen:if feature.Magazines
func word(p scenario.Pool, word string) {
	switch word {
	case "R":
		p.(*Core).recalled()
	case "T":
		p.(*Core).endTurn()
	}
}
