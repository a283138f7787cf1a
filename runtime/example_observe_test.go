package poolrt_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/poolgen/poolgen/generated_examples/quickstart"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// The list has all pools that the program has used and not closed.
func ExamplePools() {
	pool, err := quickstart.NewVertexPool(poolrt.WithName("demo.Vertex"))
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := pool.Alloc()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range poolrt.Pools() {
		if p.Name == "demo.Vertex" { // other pools of the program are listed too
			fmt.Println(p.Suballocator, p.Concurrency, "holds", p.Stats.Live, "block of", p.ItemSize, p.Unit)
		}
	}
	fmt.Println(pool.Free(v), pool.Close())
	// Output:
	// fixed mutex holds 1 block of 32 bytes
	// <nil> <nil>
}

// A snapshot lists the blocks of a chunk, and the free ranges between them.
func ExampleTakeSnapshot() {
	pool, err := quickstart.NewVertexPool(poolrt.WithLimit(4096))
	if err != nil {
		fmt.Println(err)
		return
	}
	blocks := make([]*quickstart.Vertex, 3)
	_, err = pool.AllocBatch(blocks)
	fmt.Println(err, pool.Free(blocks[1]))
	for _, piece := range poolrt.TakeSnapshot(pool).Pools[0].Chunks[0].Pieces {
		switch piece.State {
		case poolrt.PieceLive:
			fmt.Println("a block of", piece.Asked, "bytes")
		case poolrt.PieceFree:
			fmt.Println("a free range")
		}
	}
	fmt.Println(pool.CloseForce())
	// Output:
	// <nil> <nil>
	// a block of 32 bytes
	// a free range
	// a block of 32 bytes
	// a free range
	// <nil>
}

// A snapshot that was written to a file is read again.
func ExampleReadSnapshot() {
	pool, err := quickstart.NewVertexPool(poolrt.WithName("written.Vertex"))
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := pool.Alloc()
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer // in a program, a file such as pools.snapshot
	fmt.Println(poolrt.TakeSnapshot(pool).Write(&file))

	s, err := poolrt.ReadSnapshot(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Pools[0].Name, s.Pools[0].Stats.Live)

	_, err = poolrt.ReadSnapshot(strings.NewReader("something else"))
	fmt.Println(errors.Is(err, poolrt.ErrBadSnapshot))
	fmt.Println(pool.Free(v), pool.Close())
	// Output:
	// <nil>
	// written.Vertex 1
	// true
	// <nil> <nil>
}
