//go:build cudasim

package sleep

import (
	"context"
	"fmt"

	"github.com/poolgen/poolgen/cuda/sim"
)

// What a pool holds on the device and on the host, while it is awake, asleep and awake again.
func Example() {
	sim.Reset(sim.Config{})
	p, err := NewWeightPool()
	if err != nil {
		fmt.Println(err)
		return
	}
	weights, err := p.Alloc(4 << 20)
	tell := func(when string, err error) {
		s := p.Stats()
		fmt.Printf("%-7s %2d MiB on the device, %2d on the host, %d block is live: %v\n", when, s.Reserved>>20, s.Backing>>20, s.Live, err)
	}
	tell("awake:", err)
	tell("asleep:", p.Sleep(context.Background()))
	tell("awake:", p.Wake(context.Background()))
	fmt.Println(p.Free(weights), p.Close())
	// Output:
	// awake:  16 MiB on the device,  0 on the host, 1 block is live: <nil>
	// asleep:  0 MiB on the device, 16 on the host, 1 block is live: <nil>
	// awake:  16 MiB on the device, 16 on the host, 1 block is live: <nil>
	// <nil> <nil>
}
