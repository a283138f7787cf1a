package poolimpl

import (
	"testing"
	"testing/synctest"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// A graph gets an empty chunk of the pool that is long enough, but at most twice as long as a new one; the shortest of them.
func TestGraphTakesAnEmptyChunk(t *testing.T) {
	for _, c := range []struct {
		name  string
		sizes []uint64 // of the pool's chunks
		live  int      // number of them that have a block, from the first on
		need  int
		want  int64 // bytes of the chunk that moves; 0 if a new one comes
	}{
		{"as long as others", []uint64{100, 100}, 1, 60, 100},
		{"none is empty", []uint64{100, 100}, 2, 60, 0},
		{"the shortest that is long enough", []uint64{250, 100, 240, 230}, 0, 220, 230},
		{"all are too short", []uint64{100, 150}, 0, 160, 0},
		{"all are too long", []uint64{300, 202}, 0, 60, 0},
		{"the pool is new", nil, 0, 60, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newRig(t, func(c *Config) { c.Private = 1; c.Oversize = true })
			var blocks []block
			for _, n := range c.sizes {
				blocks = append(blocks, p.mustAlloc(n))
			}
			p.mustFree(blocks[c.live:]...)
			e := p.ready()
			before, asked := e.Stats(), p.source.allocs
			g, end := graphOf(t, e)
			wantErr(t, "grow", g.Grow(Point{}, c.need, 1, 1), nil)
			after := e.Stats()
			came, calls := after.Reserved-before.Reserved, p.source.allocs-asked
			if news := c.want == 0; (came > 0) != news || (calls > 0) != news {
				t.Errorf("%d bytes came, in %d calls", came, calls)
			}
			if c.want > 0 && (after.Private != c.want || after.Chunks != before.Chunks) {
				t.Errorf("%d bytes are private; %d chunks before, and %d after", after.Private, before.Chunks, after.Chunks)
			}
			if _, ok := g.Take(Point{}, c.need, 1, 1); !ok {
				t.Error("the graph has no room")
			}
			g.End()
			end()
			e.Poll()
			if s := e.Stats(); s.Reserved != before.Reserved || s.Chunks != before.Chunks || s.Private != 0 {
				t.Errorf("the graph is gone: %d bytes held, %d before; %d are private", s.Reserved, before.Reserved, s.Private)
			}
			p.mustFree(blocks[:c.live]...)
		})
	}
}

// A graph gets no chunk that does not begin where its block may, and at the limit one that is there.
func TestGraphTakesNoOtherChunk(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Private, c.Limit = 1, 200 })
	p.source.given, p.source.next = map[uint64]int64{}, 1<<20+1
	p.mustFree(p.mustAlloc(100))
	g, end := graphOf(t, p.ready())
	wantErr(t, "grow", g.Grow(Point{}, 64, 1, 64), nil)
	if s := p.Stats(); s.Reserved != 200 || s.Private != 100 {
		t.Errorf("%d bytes held, %d private", s.Reserved, s.Private)
	}
	wantErr(t, "at the limit", g.Grow(Point{}, 64, 1, 1), nil)
	wantErr(t, "beyond it", g.Grow(Point{}, 64, 1, 1), poolrt.ErrLimit)
	g.End()
	end()
	p.Poll()
}

// Memory in one piece grows by what is missing there, also if the pool has empty chunks.
func TestGraphInOnePieceTakesNoChunk(t *testing.T) {
	if Debug {
		t.Skip("in debug builds chunks lie apart")
	}
	p := newRig(t, func(c *Config) { c.Private, c.Oversize = 1, true })
	p.config.Source, p.config.Binder = nil, inOnePiece{p.source}
	var blocks []block
	for range 5 {
		blocks = append(blocks, p.mustAlloc(100))
	}
	g, end := graphOf(t, p.ready())
	wantErr(t, "grow", g.Grow(Point{}, 300, 1, 1), nil)
	p.mustFree(blocks...)
	wantErr(t, "grow", g.Grow(Point{}, 380, 1, 1), nil)
	if _, ok := g.Take(Point{}, 380, 1, 1); !ok || len(g.stocks[0].areas) != 1 {
		t.Errorf("the request is served: %v, the memory is %v", ok, g.stocks[0].areas)
	}
	g.End()
	end()
	p.Poll()
}

// inOnePiece binds a source that can make its last chunk longer.
type inOnePiece struct{ source *fakeSource }

func (b inOnePiece) Bind(Binding) (Bound, error) {
	return Bound{Source: b.source, Allocator: "device_virtual", Behind: func(end uint64, size int64) (Chunk, error) {
		if end != b.source.next {
			return Chunk{}, ErrApart
		}
		return b.source.Alloc(size, 1)
	}}, nil
}

// A chunk that comes back from a graph follows the trim policy.
func TestSpareFollowsTrimPolicy(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Private, c.Trim = 1, &TrimPolicy{Keep: 200} })
	live := p.mustAlloc(100)
	p.mustFree(p.mustAlloc(100))
	g, end := graphOf(t, p.ready())
	wantErr(t, "grow", g.Grow(Point{}, 60, 1, 1), nil)
	other := p.mustAlloc(100)
	g.End()
	end()
	p.Poll()
	if s := p.Stats(); s.Private != 0 || s.Reserved != 200 {
		t.Errorf("%d bytes are private, %d held", s.Private, s.Reserved)
	}
	p.mustFree(live, other)
}

// Close serves nobody from a chunk that comes back meanwhile: a caller who waits has no block of a closed pool.
func TestSpareOfAClosedPool(t *testing.T) {
	for name, closePool := range map[string]func(*rig) error{"close": (*rig).close, "closed by force": (*rig).closeForce} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := NewBudget("B", 250)
				other := newRig(t, func(c *Config) { c.Name, c.Budget = "test.Other", b })
				live := other.mustAlloc(50)
				p := newRig(t, func(c *Config) { c.Private, c.Limit, c.Budget, c.Ladder = 1, 100, b, []Rung{WaitRung{}} })
				p.mustFree(p.mustAlloc(100))
				g, end := graphOf(t, p.ready())
				wantErr(t, "grow", g.Grow(Point{}, 60, 1, 1), nil)
				g.End()
				spawn(func() {
					_, err := p.AllocContext(t.Context(), 60, 1)
					wantErr(t, "alloc", err, poolrt.ErrClosed)
				})
				end()
				wantErr(t, "close", closePool(p), nil)
				synctest.Wait()
				other.mustFree(live)
			})
		})
	}
}

// CloseForce of a pool with queues that have locks does not serve those who wait, either: it holds the locks.
func TestSpareOfAClosedSharedPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newSharedRig(t, func(c *Config) { c.Private, c.Limit, c.Ladder = 1, 200, []Rung{WaitRung{}} })
		e := p.ready()
		_, err := e.AllocOn(s1, 100, 1, 1)
		wantErr(t, "alloc", err, nil)
		x, err := e.AllocOn(s1, 50, 1, 1)
		wantErr(t, "alloc", err, nil)
		wantErr(t, "free", e.FreeOnNew(s1, x.Addr, 50), nil)
		p.line.completeAll()
		e.Poll()
		g, end := graphOf(t, e)
		wantErr(t, "grow", g.Grow(Point{}, 60, 1, 1), nil)
		g.End()
		spawn(func() {
			_, err := e.AllocContextOn(t.Context(), s1, 60, 1)
			wantErr(t, "alloc", err, poolrt.ErrClosed)
		})
		end()
		wantErr(t, "close", e.CloseForce(p.reset), nil)
	})
}
