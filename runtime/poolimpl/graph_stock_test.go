package poolimpl

import "testing"

// A row of graphs, each of which uses the memory of the one before, has the chunks of the first, and no stock for each of those that are gone.
func TestRowOfGraphs(t *testing.T) {
	privatePools(t, nil, func(t *testing.T, e *Engine) {
		var before []*GraphMemory
		end := func() {}
		for i := range 20 {
			gone := false
			g, err := e.NewGraphMemory(before, func() bool { return gone })
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				wantErr(t, "grow", g.Grow(Point{}, 100, 1, 1), nil)
			}
			b, ok := g.Take(Point{}, 100, 1, 1)
			if !ok {
				t.Fatalf("graph %d has no memory", i)
			}
			if held, err := g.Free(Point{}, b.Addr, 100); !held || err != nil {
				t.Fatalf("free: %v, %v", held, err)
			}
			g.End()
			end()
			e.Poll()
			if n, s := len(g.stocks), e.Stats(); n > 2 || s.Graphs != 1 || s.Private != 100 {
				t.Fatalf("after graph %d: %d stocks, %d graphs with %d bytes", i, n, s.Graphs, s.Private)
			}
			before, end = []*GraphMemory{g}, func() { gone = true }
		}
		end()
		e.Poll()
		if s := e.Stats(); s.Graphs != 0 || s.Private != 0 {
			t.Errorf("%d graphs with %d bytes at the end", s.Graphs, s.Private)
		}
	})
}
