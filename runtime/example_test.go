package poolrt_test

import (
	"errors"
	"fmt"

	"github.com/poolgen/poolgen/generated_examples/quickstart"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// The functions of a generated package use one pool of the program; options make others.
func Example() {
	pool, err := quickstart.NewVertexPool(poolrt.WithName("editor.Vertex"), poolrt.WithLimit(16<<20))
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := pool.Alloc()
	if err != nil {
		fmt.Println(err)
		return
	}
	v.Position = [3]float32{1, 2, 3}
	fmt.Println(pool.Stats().Live, "of at most", pool.Stats().Limit, "bytes")
	fmt.Println(pool.Free(v))
	fmt.Println(errors.Is(pool.Free(v), poolrt.ErrDoubleFree), pool.Close())
	// Output:
	// 1 of at most 16777216 bytes
	// <nil>
	// true <nil>
}

// A failed allocation matches one error, carries the figures, and tells the story.
func ExampleExplain() {
	pool, err := quickstart.NewVertexPool(poolrt.WithName("Vertex"), poolrt.WithLimit(8<<20))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = pool.AllocBatch(make([]*quickstart.Vertex, 1<<20))
	var e *poolrt.PoolError
	fmt.Println(errors.Is(err, poolrt.ErrLimit), errors.As(err, &e) && e.Limit == 8<<20)
	fmt.Println(len(poolrt.Explain(err)) > len(err.Error()), pool.Close())
	// Output:
	// true true
	// true <nil>
}

// A PoolError has the figures of the moment when a call failed, for programs that act on them.
func ExamplePoolError() {
	pool, err := quickstart.NewVertexPool(poolrt.WithName("small.Vertex"), poolrt.WithLimit(8<<20))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = pool.AllocBatch(make([]*quickstart.Vertex, 1<<20)) // 32 MiB
	var e *poolrt.PoolError
	if errors.As(err, &e) {
		fmt.Println(e.Pool, e.Op, e.Err, "at", e.Limit, "bytes")
	}
	fmt.Println(pool.Close())
	// Output:
	// small.Vertex alloc limit reached at 8388608 bytes
	// <nil>
}

// A hook is called for whatever happens off the fast paths, in all pools.
func ExampleOnEvent() {
	stop := poolrt.OnEvent(func(e poolrt.Event) {
		if e.Pool == "heard.Vertex" {
			fmt.Println(e.Kind, e.Bytes)
		}
	})
	defer stop()
	pool, err := quickstart.NewVertexPool(poolrt.WithName("heard.Vertex"))
	if err != nil {
		fmt.Println(err)
		return
	}
	v, _ := pool.Alloc() // the first one gets a chunk, and Close gives it back
	fmt.Println(pool.Free(v), pool.Close())
	// Output:
	// growth 8388608
	// trim 8388608
	// <nil> <nil>
}
