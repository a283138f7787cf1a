//go:build cudasim

package graphs

import (
	"fmt"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
)

// Two graphs that never run at the same time have their temporaries in common, but not their results.
func Example() {
	sim.Reset(sim.Config{})
	s, err := cuda.Device(0).NewStream()
	if err != nil {
		fmt.Println(err)
		return
	}
	first, _, err := Capture(s, 3, 4<<20)
	tell := func(what string, err error) {
		f := DefaultTempPool().Stats()
		fmt.Printf("%-12s %2d MiB are private to %d graphs with %d outputs: %v\n", what, f.Private>>20, f.Graphs, f.Outputs, err)
	}
	tell("one graph:", err)
	second, _, err := Capture(s, 5, 2<<20, first)
	tell("two graphs:", err)
	first.Close()
	second.Close()
	_, err = DefaultTempPool().Trim(0)
	tell("closed:", err)
	fmt.Println(s.Close())
	// Output:
	// one graph:   16 MiB are private to 1 graphs with 1 outputs: <nil>
	// two graphs:  24 MiB are private to 2 graphs with 2 outputs: <nil>
	// closed:       0 MiB are private to 0 graphs with 0 outputs: <nil>
	// <nil>
}
