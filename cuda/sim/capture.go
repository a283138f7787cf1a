//go:build cudasim

package sim

import (
	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/internal/simulator"
)

// BeginCapture begins a capture of a stream as another binding in the process would: package cuda does not know of it.
func BeginCapture(s cuda.Stream) error {
	return failed("begin capture", simulator.Default().StreamBeginCapture(On(s).at()))
}

// EndCapture ends such a capture and drops the graph. It fails if the capture was invalidated.
func EndCapture(s cuda.Stream) error {
	g, r := simulator.Default().StreamEndCapture(On(s).at())
	if err := failed("end capture", r); err != nil {
		return err
	}
	return failed("graph", simulator.Default().GraphDestroy(g))
}
