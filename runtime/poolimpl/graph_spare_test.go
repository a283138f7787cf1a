package poolimpl

import (
	"testing"

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
