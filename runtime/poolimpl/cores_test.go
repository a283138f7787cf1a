package poolimpl

import "testing"

// tuned is a core with parameters. It implements each interface that a pool may have no use for.
type tuned struct {
	StreamCore
	set *Features
}

func (c *tuned) Step() uint64               { return 1 }
func (c *tuned) Lookup(_, _ uint64) Verdict { return Foreign }
func (c *tuned) Set(params any) Features    { c.set = params.(*Features); return *c.set }

// A core with parameters gets those of the configuration, and is used for what it says that the pool has a use for.
func TestParamCore(t *testing.T) {
	for _, has := range []Features{{}, {Streams: true}, {Places: true}, {Shares: true}, {Streams: true, Places: true, Shares: true}} {
		var c cores
		core := new(tuned)
		given := has
		if c.as(core, &given); core.set != &given {
			t.Fatal("the core has other parameters")
		}
		if got := (Features{Streams: c.stream != nil, Places: c.placed != nil, Shares: c.sharing != nil}); got != has {
			t.Errorf("%+v are used, of %+v", got, has)
		}
	}
}
