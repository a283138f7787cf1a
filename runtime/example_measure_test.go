package poolrt_test

import (
	"fmt"

	"github.com/poolgen/poolgen/generated_examples/quickstart"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Stats are the figures of one pool.
func ExampleStats() {
	pool, err := quickstart.NewVertexPool()
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := pool.Alloc()
	if err != nil {
		fmt.Println(err)
		return
	}
	s := pool.Stats()
	fmt.Println(s.Live, "block of", s.LiveBytes, "bytes is live;", s.Reserved, "of", s.Limit, "bytes are reserved")
	fmt.Println(pool.Free(v), pool.Close())
	// Output:
	// 1 block of 32 bytes is live; 8388608 of 67108864 bytes are reserved
	// <nil> <nil>
}

// A meter counts the calls that a pool makes of its allocator: here, one for a chunk and one to return the chunk.
func ExampleWithMeter() {
	var meter poolrt.Meter
	pool, err := quickstart.NewVertexPool(poolrt.WithMeter(&meter))
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 1000 {
		v, err := pool.Alloc()
		if err != nil {
			fmt.Println(err)
			return
		}
		if err := pool.Free(v); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(meter.Calls(), pool.Close(), meter.Calls())
	// Output: 1 <nil> 2
}

// A program that exports to a monitoring system reads each metric of each pool.
func ExampleMetrics() {
	pool, err := quickstart.NewVertexPool(poolrt.WithName("measured.Vertex"))
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
		if p.Name != "measured.Vertex" { // other pools of the program are listed too
			continue
		}
		for _, m := range poolrt.Metrics() {
			if m.Name == "/pool/memory/live:bytes" || m.Name == "/pool/blocks/allocs:blocks" {
				fmt.Println(m.Name, m.Value(&p.Stats), m.Cumulative)
			}
		}
	}
	fmt.Println(pool.Free(v), pool.Close())
	// Unordered output:
	// /pool/memory/live:bytes 32 false
	// /pool/blocks/allocs:blocks 1 true
	// <nil> <nil>
}
