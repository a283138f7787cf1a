//go:build cudasim

package sim_test

import (
	"errors"
	"fmt"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// A test chooses a machine, makes a call fail, and checks what remains.
func Example() {
	sim.Reset(sim.Config{Devices: 1, Capacity: 64 << 20})
	sim.Fail("cuMemAlloc", 2, int(cuda.ResultOutOfMemory)) // the second call from now

	p, err := cuda.Device(0).Alloc(1 << 20)
	fmt.Println(err)
	_, err = cuda.Device(0).Alloc(1 << 20)
	fmt.Println(errors.Is(err, poolrt.ErrOutOfMemory))
	fmt.Println(len(sim.Leaks()), cuda.Device(0).Free(p), len(sim.Leaks()))
	// Output:
	// <nil>
	// true
	// 1 <nil> 0
}

// The checker finds a use of memory that nothing orders after another, under any schedule.
func ExampleCheckHazards() {
	sim.Reset(sim.Config{Schedule: 1})
	sim.CheckHazards()
	d := cuda.Device(0)
	p, _ := d.Alloc(1024)
	a, _ := d.NewStream(cuda.NonBlocking)
	b, _ := d.NewStream(cuda.NonBlocking)

	fmt.Println(cuda.MemsetAsync(p, 1, 1024, a), len(sim.Hazards()))
	fmt.Println(cuda.MemsetAsync(p, 2, 1024, b), len(sim.Hazards()) > 0) // b was not made to wait for a
	// Output:
	// <nil> 0
	// <nil> true
}
