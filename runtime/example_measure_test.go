package poolrt_test

import (
	"errors"
	"fmt"
	"io"

	"github.com/poolgen/poolgen/generated_examples/quickstart"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// A meter counts what a pool has its allocator do: here, one call for a chunk and one to return it.
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

// Metrics are for monitoring systems that have no package here: read each of them off each pool.
func ExampleMetrics() {
	pool, err := quickstart.NewVertexPool(poolrt.WithName("measured.Vertex"))
	if err != nil {
		fmt.Println(err)
		return
	}
	v, _ := pool.Alloc()
	for _, p := range poolrt.Pools() {
		if p.Name != "measured.Vertex" { // others of the program are listed too
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

// A trace holds what all pools do until stop is called. Programs built without the tag pooltrace cannot record one, and say so.
func ExampleRecord() {
	stop, err := poolrt.Record(io.Discard) // in a program, a file: run.csv.gz
	if errors.Is(err, poolrt.ErrUnsupported) {
		fmt.Println("build with -tags pooltrace")
		return
	}
	v, err := quickstart.AllocVertex()
	fmt.Println(err, quickstart.FreeVertex(v))
	fmt.Println(stop())
}
