//go:build cudasim

package pipeline

import (
	"testing"

	"github.com/poolgen/poolgen/cuda/sim"
)

// A kernel that cannot be had leaves nothing behind on the device.
func TestNoKernel(t *testing.T) {
	for _, function := range []string{"cuModuleLoadDataEx", "cuModuleGetFunction"} {
		t.Run(function, func(t *testing.T) {
			machine(t)
			sim.Fail(function, 1, 1)
			if err := Scale(make([]float32, 1), make([]float32, 1), 2, 0); err == nil {
				t.Error("it goes on")
			}
		})
	}
}
