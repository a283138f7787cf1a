package pooltest_test

import (
	"context"
	"testing"

	"github.com/poolgen/poolgen/generated_examples/quickstart"
	"github.com/poolgen/poolgen/runtime/pooltest"
)

// describe tells the tests how to call a pool, and what bounds requests. With tests: true, poolgen writes this for you.
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

// The generated test file has a test and a fuzz target for each pool.
func Example() {
	_ = func(t *testing.T) { pooltest.Smoke(t, describe) } // func TestPoolgenVertex(t *testing.T)
	_ = func(f *testing.F) { pooltest.Fuzz(f, describe) }  // func FuzzPoolgenVertex(f *testing.F)
}
