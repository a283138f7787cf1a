//go:build cudasim

package multigpu

import (
	"fmt"

	"github.com/poolgen/poolgen/cuda/sim"
)

func Example() {
	sim.Reset(sim.Config{Devices: 2})
	a, errA := Open(0)
	b, errB := Open(1)
	if errA != nil || errB != nil {
		fmt.Println(errA, errB)
		return
	}
	x, _ := a.Pool.AllocOn(4, a.Stream)
	fmt.Println(a.Pool.CopyToDevice(x, []float32{1, 2, 3, 4}, a.Stream))
	y, _ := a.Send(x, b)
	fmt.Println(a.Pool.FreeOn(x, a.Stream)) // in the order of the stream: behind the copy

	out := make([]float32, 4)
	fmt.Println(b.Pool.CopyToHost(out, y, b.Stream), out)
	fmt.Println(b.Pool.FreeOn(y, b.Stream))
	fmt.Println(a.Close(), b.Close())
	// Output:
	// <nil>
	// <nil>
	// <nil> [1 2 3 4]
	// <nil>
	// <nil> <nil>
}
