package poolrt_test

import (
	"bytes"
	"fmt"

	"github.com/poolgen/poolgen/generated_examples/quickstart"
	poolrt "github.com/poolgen/poolgen/runtime"
)

func ExamplePools() {
	pool, err := quickstart.NewVertexPool(poolrt.WithName("demo.Vertex"))
	if err != nil {
		fmt.Println(err)
		return
	}
	v, _ := pool.Alloc()
	for _, p := range poolrt.Pools() {
		if p.Name == "demo.Vertex" { // others of the program are listed, too
			fmt.Println(p.Suballocator, p.Concurrency, "holds", p.Stats.Live, "block of", p.ItemSize, p.Unit)
		}
	}
	fmt.Println(pool.Free(v), pool.Close())
	// Output:
	// fixed mutex holds 1 block of 32 bytes
	// <nil> <nil>
}

func ExampleTakeSnapshot() {
	pool, err := quickstart.NewVertexPool()
	if err != nil {
		fmt.Println(err)
		return
	}
	a, _ := pool.Alloc()
	b, _ := pool.Alloc()
	c, _ := pool.Alloc()
	fmt.Println(pool.Free(b))

	var file bytes.Buffer
	if err := poolrt.TakeSnapshot(pool).Write(&file); err != nil {
		fmt.Println(err)
	}
	s, err := poolrt.ReadSnapshot(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	states := map[poolrt.PieceState]int{}
	for _, p := range s.Pools[0].Chunks[0].Pieces {
		states[p.State]++
	}
	fmt.Println(states[poolrt.PieceLive], "live,", states[poolrt.PieceFree], "free pieces")
	fmt.Println(pool.Free(a), pool.Free(c), pool.Close())
	// Output:
	// <nil>
	// 2 live, 2 free pieces
	// <nil> <nil> <nil>
}
