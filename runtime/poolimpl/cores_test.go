package poolimpl

import (
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// tuned is a core with parameters. It implements each interface that a pool may have no use for.
type tuned struct {
	StreamCore
	MovingCore
	set *Features
}

func (c *tuned) Step() uint64                            { return 1 }
func (c *tuned) Range(_ uint32, _, _ uint64, _ []uint32) {}
func (c *tuned) Lookup(_, _ uint64) Verdict              { return Foreign }
func (c *tuned) Set(params any)                          { c.set = params.(*Features) }
func (c *tuned) Features() Features                      { return *c.set }

// The methods that both embedded interfaces have.
func (c *tuned) Add(_ uint32, _, _ uint64)                         {}
func (c *tuned) Remove(uint32)                                     {}
func (c *tuned) Used(uint32) uint64                                { return 0 }
func (c *tuned) Need(_, _ uint64) uint64                           { return 0 }
func (c *tuned) Alloc(_, _ uint64) (slot uint32, _ uint64, _ bool) { return 0, 0, false }
func (c *tuned) Free(_, _ uint64) (uint32, Verdict)                { return 0, Foreign }
func (c *tuned) Undo(_, _ uint64) (uint32, Verdict)                { return 0, Foreign }
func (c *tuned) Flush() bool                                       { return false }
func (c *tuned) Usage() Usage                                      { return Usage{} }
func (c *tuned) Walk(uint32, uint64, func(poolrt.Piece) bool)      {}

// A core with parameters gets those of the configuration, and is used for what it says that the pool uses.
func TestFeaturedCore(t *testing.T) {
	for _, has := range []Features{
		{}, {Streams: true}, {Ranges: true}, {Pages: true}, {Pages: true, Moves: true}, {Shares: true}, {Streams: true, Ranges: true, Pages: true, Moves: true, Shares: true},
	} {
		var c cores
		core := new(tuned)
		given := has
		if c.as(core, &given); core.set != &given {
			t.Fatal("the core has other parameters")
		}
		got := Features{Streams: c.stream != nil, Ranges: c.ranged != nil, Pages: c.paged != nil, Moves: c.moving != nil, Shares: c.sharing != nil}
		if got != has {
			t.Errorf("%+v are used, of %+v", got, has)
		}
	}
}
