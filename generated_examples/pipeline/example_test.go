//go:build cudasim

package pipeline

import (
	"errors"
	"fmt"

	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
)

func Example() {
	sim.Reset(sim.Config{})
	defer reopen()
	in, out := []float32{1, 2, 3, 4}, make([]float32, 4)
	if err := Scale(out, in, 1.5, 0); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out)
	requested, effective, _ := Memory()
	fmt.Println(requested, "->", effective)
	fmt.Println(Close())
	// Output:
	// [1.5 3 4.5 6]
	// device_async -> device_async
	// <nil>
}

// A program chooses one of the allocators of the pool file.
func Example_chosen() {
	sim.Reset(sim.Config{})
	pool, err := NewBatchPool(poolrt.WithAllocator("device_virtual"))
	if err != nil {
		fmt.Println(err)
		return
	}
	var block BatchSpan
	block, err = pool.Alloc(1000)
	effective, _ := pool.Effective()
	fmt.Println(block.Len(), "floats of", effective, err)
	fmt.Println(pool.Free(block), pool.Close())

	_, err = NewBatchPool(poolrt.WithAllocator("pinned"))
	fmt.Println(errors.Is(err, poolrt.ErrUnsupported))
	// Output:
	// 1000 floats of device_virtual <nil>
	// <nil> <nil>
	// true
}

// On a device without memory pools the pool of device memory uses what the pool file names as fallback, and says why.
func Example_fallback() {
	sim.Reset(sim.Config{Attributes: map[int32]int32{115: 0}})
	defer reopen()
	out := make([]float32, 1)
	if err := Scale(out, []float32{10}, 2, 0); err != nil {
		fmt.Println(err)
		return
	}
	requested, effective, reason := Memory()
	fmt.Println(out[0])
	fmt.Println(requested, "->", effective)
	fmt.Println(reason)
	fmt.Println(Close())
	// Output:
	// 20
	// device_async -> device
	// device_async: not supported: device 0 has no memory pools
	// <nil>
}
