//go:build cudasim

package recycling

import (
	"fmt"
	"runtime/debug"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
)

// Pictures of 1 MiB, one after the other, on a device of 32 MiB. The garbage collector is off: a program makes hardly any garbage for pictures on a
// device, but the simulated device does, whose memory is on the Go heap.
func Example_picture() {
	sim.Reset(sim.Config{Capacity: deviceBytes})
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	s, _ := cuda.Device(0).NewStream(cuda.NonBlocking)
	pixels, shown := make([]byte, 1<<20), make([]byte, 1<<20)
	for n := range 100 {
		if err := showCollected(pixels, shown, s); err != nil {
			fmt.Println("before:", n, "pictures,", used(), "KiB held,", err)
			break
		}
	}
	fmt.Println("the collector returns them when it runs:", collect(func() bool { return used() == 0 }))
	var pool PixelPool
	for range 100 {
		if err := show(&pool, pixels, shown, s); err != nil {
			fmt.Println(err)
			break
		}
	}
	fmt.Println("after:", pool.Stats().Allocs, "pictures,", pool.Stats().Reserved>>10, "KiB held,", pool.Close())
	// Output:
	// before: 32 pictures, 32768 KiB held, cuda: MemAlloc of 1048576 bytes on device 0: CUDA_ERROR_OUT_OF_MEMORY: out of memory
	// the collector returns them when it runs: true
	// after: 100 pictures, 2048 KiB held, <nil>
}
