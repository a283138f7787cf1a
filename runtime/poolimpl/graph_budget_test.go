package poolimpl

import (
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// privatePools calls test with a pool that has memory for graphs, in a budget, of either kind of limits.
func privatePools(t *testing.T, b *Budget, test func(*testing.T, *Engine)) {
	t.Run("chunks", func(t *testing.T) {
		test(t, newRig(t, func(c *Config) { c.Name, c.Budget, c.Private, c.Limit = "test.Needy", b, 1, 300 }).ready())
	})
	t.Run("blocks of the driver", func(t *testing.T) {
		p := newOrderedRig(t)
		p.config.Name, p.config.Budget, p.config.Private, p.config.Limit = "test.Needy", b, 1, 300
		test(t, p.ready())
	})
}

// graphOf begins the memory of a graph of a pool, which is gone once end is called.
func graphOf(t *testing.T, e *Engine) (g *GraphMemory, end func()) {
	t.Helper()
	gone := false
	g, err := e.NewGraphMemory(nil, func() bool { return gone })
	fatal.If(t, err)
	return g, func() { gone = true }
}

// The memory of a graph takes of the budget what other pools give, without a rung trim, but nothing that is guaranteed to them. The budget has it back when
// the graph is gone, as soon as another pool needs it.
func TestGraphsInABudget(t *testing.T) {
	b := NewBudget("B", 400)
	privatePools(t, b, func(t *testing.T, e *Engine) {
		events := reclaimed(t)
		kept := newRig(t, func(c *Config) { c.Budget, c.Guarantee = b, 100 })
		other := newRig(t, func(c *Config) { c.Name, c.Budget = "test.Other", b })
		live := kept.mustAlloc(100)
		kept.mustFree(kept.mustAlloc(100), live)
		other.mustFree(other.mustAlloc(100))
		g, end := graphOf(t, e)
		for _, n := range []int{200, 100} { // 100 are free, and both pools give the 100 that they have beyond what is guaranteed
			wantErr(t, "grow", g.Grow(Point{}, n, 1, 1), nil)
		}
		if s := e.Stats(); s.Private != 300 || s.Reserved != 300 || kept.Stats().Reserved != 100 || other.Stats().Reserved != 0 || b.Reserved() != 400 {
			t.Errorf("%d private, %d, %d and %d held, %d in all", s.Private, s.Reserved, kept.Stats().Reserved, other.Stats().Reserved, b.Reserved())
		}
		if len(*events) != 2 || (*events)[0].For != "test.Needy" || (*events)[1].For != "test.Needy" {
			t.Errorf("%+v", *events)
		}
		wantErr(t, "grow beyond the limit", g.Grow(Point{}, 1, 1, 1), poolrt.ErrLimit)
		wantErr(t, "grow beyond any limit", g.Grow(Point{}, 301, 1, 1), poolrt.ErrTooLarge)
		g.End()
		_, err := other.alloc(100)
		wantErr(t, "alloc", err, poolrt.ErrLimit)
		end()
		other.mustAlloc(100)
		if s := e.Stats(); s.Private != 0 || s.Reserved != 0 || s.Given != 300 || b.Reserved() != 200 {
			t.Errorf("the graph is gone: %d private, %d held, %d given, %d in all", s.Private, s.Reserved, s.Given, b.Reserved())
		}
		for _, p := range []*rig{kept, other} {
			wantErr(t, "close", p.closeForce(), nil)
		}
		wantErr(t, "close", e.CloseForce(func() {}), nil)
		if i := b.Info(); i.Reserved != 0 || i.Kept != 0 {
			t.Errorf("after closing %+v", i)
		}
	})
}

// At the limit of its own, a graph takes nothing of others.
func TestGraphAtTheLimitOfItsPool(t *testing.T) {
	b := NewBudget("B", 400)
	privatePools(t, b, func(t *testing.T, e *Engine) {
		other := newRig(t, func(c *Config) { c.Budget = b })
		other.mustFree(other.mustAlloc(100))
		g, end := graphOf(t, e)
		wantErr(t, "grow", g.Grow(Point{}, 300, 1, 1), nil)
		wantErr(t, "grow", g.Grow(Point{}, 100, 1, 1), poolrt.ErrLimit)
		if n := other.Stats().Given; n != 0 {
			t.Errorf("another pool gave %d", n)
		}
		wantErr(t, "lower the limit", b.SetLimit(350), nil)
		g.End()
		wantErr(t, "close", e.Close(func() {}), poolrt.ErrLive)
		end()
		wantErr(t, "close", e.Close(func() {}), nil)
		wantErr(t, "close", other.close(), nil)
		if wantErr(t, "raise the limit", b.SetLimit(400), nil); b.Reserved() != 0 {
			t.Errorf("after closing %d", b.Reserved())
		}
	})
}

// stuckSource supplies memory with an error, and does not take it back while stuck.
type stuckSource struct {
	*fakeSource
	stuck bool
}

func (s *stuckSource) Alloc(size, align int64) (Chunk, error) {
	c, err := s.fakeSource.Alloc(size, align)
	if s.stuck {
		err = errNoMemory
	}
	return c, err
}

func (s *stuckSource) Free(c Chunk) error {
	if s.stuck {
		return errNoMemory
	}
	return s.fakeSource.Free(c)
}

// stuckRig is a pool with ordering driver and such a source.
type stuckRig struct {
	*orderedRig
	source *stuckSource
}

func (p *stuckRig) Bind(ask Binding) (Bound, error) {
	bound, err := p.orderedRig.Bind(ask)
	bound.Source = p.source
	return bound, err
}

// Memory for a graph that came with an error, and that the driver does not take back, counts once in the limit and the budget until it goes back.
func TestStuckMemoryForAGraph(t *testing.T) {
	b := NewBudget("B", 1000)
	p := &stuckRig{orderedRig: newOrderedRig(t)}
	p.source = &stuckSource{p.orderedRig.source.fakeSource, true}
	p.config.Binder, p.config.Budget, p.config.Private, p.config.Limit = p, b, 1, 300
	p.config.Oversize = true // blocks of any length
	e := p.ready()
	g, end := graphOf(t, e)
	if err := g.Grow(Point{}, 200, 1, 1); err == nil {
		t.Error("no error")
	}
	if s := e.Stats(); s.Reserved != 200 || s.UnreturnedBytes != 200 || s.PeakReserved != 200 || b.Reserved() != 200 {
		t.Errorf("%d held, %d unreturned, at most %d, %d of the budget", s.Reserved, s.UnreturnedBytes, s.PeakReserved, b.Reserved())
	}
	_, err := allocInOrder(e, Stream{Handle: 1, ID: 1}, 101)
	wantErr(t, "alloc", err, poolrt.ErrLimit)
	_, err = allocInOrder(e, Stream{Handle: 1, ID: 1}, 100)
	wantErr(t, "alloc", err, nil)
	_, err = allocInOrder(e, Stream{Handle: 1, ID: 1}, 1)
	wantErr(t, "alloc", err, poolrt.ErrLimit)
	p.source.stuck = false
	if n, err := e.Trim(0); n != 200 || err != nil {
		t.Errorf("%d went back, %v", n, err)
	}
	if s := e.Stats(); s.Reserved != 100 || s.Unreturned != 0 || s.Chunks != 1 || b.Reserved() != 100 {
		t.Errorf("%d held, %d unreturned, %d chunks, %d of the budget", s.Reserved, s.Unreturned, s.Chunks, b.Reserved())
	}
	g.End()
	end()
	wantErr(t, "close", e.CloseForce(func() {}), nil)
	if n := b.Reserved(); n != 0 || p.source.held() != 0 {
		t.Errorf("after closing %d of the budget, %d of the source", n, p.source.held())
	}
}
