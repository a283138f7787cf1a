package corpus

import (
	"errors"
	"testing"

	"example.com/vet/pools"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Tests and benchmarks with pools.

func TestCleanupFreesBlock(t *testing.T) {
	v, err := pools.AllocVertex()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pools.FreeVertex(v); err != nil {
			t.Error(err)
		}
	})
	*v = pools.Vertex{X: 3, Y: 4}
	if got := length(v); got != 25 {
		t.Errorf("got %v, want 25", got)
	}
}

func TestForgetsBlock(t *testing.T) {
	v, err := pools.AllocVertex()
	if err != nil {
		t.Fatal(err)
	}
	*v = pools.Vertex{X: 1}
	move(v, 1)
	if v.X != 2 || v.Y != 1 || v.Z != 1 {
		t.Errorf("got %v", *v) // WRONG leak: the block is not freed, whether the test passes or not
	}
}

func TestSecondFreeIsRefused(t *testing.T) {
	v, err := pools.AllocVertex()
	if err != nil {
		t.Fatal(err)
	}
	if err := pools.FreeVertex(v); err != nil {
		t.Fatal(err)
	}
	if err := pools.FreeVertex(v); !errors.Is(err, poolrt.ErrDoubleFree) {
		t.Errorf("got %v, want %v", err, poolrt.ErrDoubleFree)
	}
}

func TestCleanupAndTestBothFree(t *testing.T) {
	b, err := pools.AllocText(8)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pools.FreeText(b); err != nil {
			t.Error(err)
		}
	})
	if n := copy(b, "corpus"); n != 6 {
		t.Errorf("got %d", n)
	}
	if err := pools.FreeText(b); err != nil { // WRONG double: the cleanup frees the block again
		t.Error(err)
	}
}

func TestTableFreesInEachSubtest(t *testing.T) {
	for _, test := range []struct {
		name string
		x    float32
		want float32
	}{{"zero", 0, 0}, {"one", 1, 1}, {"two", 2, 4}} {
		t.Run(test.name, func(t *testing.T) {
			v, err := newVertex(test.x)
			if err != nil {
				t.Fatal(err)
			}
			defer pools.FreeVertex(v)
			if got := length(v); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestSubtestLeaksWhenSkipped(t *testing.T) {
	for _, n := range []int{1, 16, 256} {
		t.Run("", func(t *testing.T) {
			b, err := pools.AllocLine(n)
			if err != nil {
				t.Fatal(err)
			}
			clear(b)
			if testing.Short() && n > 100 {
				t.Log("too long for a short run")
				return // WRONG leak: the block is not freed in a short run
			}
			for i, c := range b {
				if c != 0 {
					t.Errorf("byte %d is %d", i, c)
				}
			}
			if err := pools.FreeLine(b); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestOwnPoolIsClosedByForce(t *testing.T) {
	p, err := pools.NewVertexPool(poolrt.WithLimit(1 << 20))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.CloseForce(); err != nil {
			t.Error(err)
		}
	})
	for range 10 {
		v, err := p.Alloc()
		if err != nil {
			t.Fatal(err)
		}
		*v = pools.Vertex{X: 1}
	}
	if live := p.Stats().Live; live != 10 {
		t.Errorf("%d blocks are live, want 10", live)
	}
}

func BenchmarkLeaksEachRound(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		v, err := pools.AllocCorner() // WRONG leak: each round takes a block and none frees it
		if err != nil {
			b.Fatal(err)
		}
		*v = pools.Vertex{X: 1}
		if length(v) != 1 {
			b.Fatal("bad length")
		}
	}
}

func cleanVertex(t *testing.T, x float32) *pools.Vertex {
	t.Helper()
	v, err := pools.AllocVertex()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pools.FreeVertex(v) })
	*v = pools.Vertex{X: x}
	return v
}

func TestLooksAtFreedBlock(t *testing.T) {
	v, err := newVertex(2)
	if err != nil {
		t.Fatal(err)
	}
	w := cleanVertex(t, 3)
	move(v, w.X)
	if err := pools.FreeVertex(v); err != nil {
		t.Fatal(err)
	}
	if v.X != 5 { // WRONG use: the block is free
		t.Errorf("got %v, want 5", v.X)
	}
}
