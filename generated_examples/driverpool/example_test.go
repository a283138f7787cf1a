//go:build cudasim && !pooldebug

package driverpool

import (
	"fmt"
	"os"

	"github.com/poolgen/poolgen/cuda/sim"
)

// A debug build takes twice the memory from the driver, and would print other figures.
func Example() {
	sim.Reset(sim.Config{})
	defer func() { vectorDefault = VectorPool{} }()
	sum, err := Add(os.Stdout, 100)
	fmt.Println(sum, err)
	fmt.Println(DefaultVectorPool().Close())
	// Output:
	// before:    reserved   0 MiB (at most   0), used   0 MiB (at most   0)
	// allocated: reserved  12 MiB (at most  12), used  12 MiB (at most  12)
	// freed:     reserved  12 MiB (at most  12), used   0 MiB (at most  12)
	// trimmed:   reserved   0 MiB (at most  12), used   0 MiB (at most  12)
	// 300 <nil>
	// <nil>
}
