//go:build explored

package strict

import (
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/tests/schedules/explore"
	"github.com/poolgen/poolgen/tests/schedules/scenario"
)

// FastCore is a core with the fast path of the template.
type FastCore interface {
	scenario.Pool
	Common() *Core
	AllocFast() (slot uint32, off uint64, ok bool)
	Join(r Run, addr uint64) (longer Run, ok bool)
}

// Cases returns the programs to explore, with cores that fast returns.
func Cases(name string, params *Params, fast func() FastCore) []explore.Case {
	core := func(p scenario.Pool) *Core { return p.(FastCore).Common() }
	s := &scenario.Subject{
		Name: name,
		Unit: params.BlockSize,
		New: func() scenario.Pool {
			c := fast()
			if c.Common().Set(params); params.Streams {
				return &counted{c}
			}
			return c
		},
		Fast:  func(p scenario.Pool, _ uint64) (slot uint32, off uint64, ok bool) { return p.(FastCore).AllocFast() },
		Near:  func(p scenario.Pool, n uint64) (slot uint32, off uint64, ok bool) { return core(p).Alloc(n, 1) },
		Roots: func(p scenario.Pool) []any { return append(scenario.Chunks(&core(p).Chunks), core(p)) },
		Run: func(p scenario.Pool, addr, next uint64) poolimpl.Verdict {
			run, _ := p.(FastCore).Join(core(p).Gather(addr), addr)
			run, _ = p.(FastCore).Join(run, next)
			_, v := core(p).FreeRun(run)
			return v
		},
		Check:     func(p scenario.Pool) { core(p).check(new(testing.T)) },
		Word:      func(p scenario.Pool, word string) { core(p).word(word) },
		Forgets:   params.Magazine > 0 || params.Owns,
		Partial:   params.Magazine > 0,
		Trims:     params.Trims,
		Scenarios: scenarios,
	}
	return s.Cases()
}

// word does what only pools with magazines or owners know: R recalls all of them, T ends the turn without.
func (c *Core) word(word string) {
	switch word {
	case "R":
		c.recalled()
	case "T":
		c.endTurn()
	}
}

// counted is a core whose words have no room in their counts after two allocations.
type counted struct{ FastCore }

func (p *counted) Add(slot uint32, base, size uint64) {
	p.FastCore.Add(slot, base, size)
	c := p.Common()
	for w := range c.Chunks.At(slot).Words {
		c.Chunks.At(slot).Words[w].Add(countFull - 2*Once)
		c.undone.Add((countFull - 2*Once) / Once)
	}
}

// Streams are asked for by their methods.

func (p *counted) Defer(addr, n uint64) poolimpl.Verdict          { return p.Common().Defer(addr, n) }
func (p *counted) Reuse(addr, n uint64) (slot uint32, off uint64) { return p.Common().Reuse(addr, n) }
func (p *counted) Reclaim(addr, n uint64) (slot uint32, v poolimpl.Verdict) {
	return p.Common().Reclaim(addr, n)
}
