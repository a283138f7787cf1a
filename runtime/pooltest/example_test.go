package pooltest_test

import (
	"context"
	"testing"

	"github.com/poolgen/poolgen/generated_examples/quickstart"
	"github.com/poolgen/poolgen/runtime/pooltest"
)

// describe describes a pool to the tests. With tests: true, poolgen generates this function.
func describe(t testing.TB, pool *quickstart.VertexPool) *pooltest.Pool[*quickstart.Vertex] {
	return pooltest.Open(t, pooltest.Pool[*quickstart.Vertex]{
		Traits:       pooltest.Traits{ItemBytes: 32, Most: 1, Room: 8 << 20, Locked: true},
		Whole:        pool,
		Alloc:        func(int) (*quickstart.Vertex, error) { return pool.Alloc() },
		TryAlloc:     func(int) (*quickstart.Vertex, bool) { return pool.TryAlloc() },
		AllocContext: func(ctx context.Context, _ int) (*quickstart.Vertex, error) { return pool.AllocContext(ctx) },
		AllocBatch:   pool.AllocBatch,
		FreeBatch:    pool.FreeBatch,
		Free:         pool.Free,
		Memory:       pooltest.ItemMemory[quickstart.Vertex],
		Extent: func(v *quickstart.Vertex) pooltest.Extent {
			return pooltest.MemoryExtent(pooltest.ItemMemory(v))
		},
	})
}

// A generated test file has a test and a fuzz target for each pool.
func Example() {
	_ = func(t *testing.T) { pooltest.Smoke(t, describe) } // func TestPoolgenVertex(t *testing.T)
	_ = func(f *testing.F) { pooltest.Fuzz(f, describe) }  // func FuzzPoolgenVertex(f *testing.F)
}
