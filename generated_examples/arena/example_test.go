//go:build cudasim

package arena

import (
	"errors"
	"fmt"

	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
)

func Example() {
	sim.Reset(sim.Config{})
	p := DefaultArenaPool()
	for range 3 {
		a, _ := AllocArena(1_000_000)
		b, _ := AllocArena(7_000_000)
		fmt.Println(a.Bytes()+b.Bytes(), "bytes,", sim.Calls("cuMemAlloc"), "call of cuMemAlloc,", p.Reset())
	}
	_, err := AllocArena(10_000_000)
	fmt.Println(err)
	fmt.Println(errors.Is(err, poolrt.ErrTooLarge), p.Close())
	// Output:
	// 32000000 bytes, 1 call of cuMemAlloc, <nil>
	// 32000000 bytes, 1 call of cuMemAlloc, <nil>
	// 32000000 bytes, 1 call of cuMemAlloc, <nil>
	// poolgen: arena.Arena: alloc of 40000000 bytes: request too large for the pool (live 0, reserved 33554432, limit 33554432, largest free range 33554432)
	// true <nil>
}
