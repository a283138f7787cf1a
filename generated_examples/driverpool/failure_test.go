//go:build cudasim

package driverpool

import (
	"io"
	"testing"

	"github.com/poolgen/poolgen/cuda/sim"
)

// A kernel that cannot be had leaves nothing behind on the device.
func TestNoKernel(t *testing.T) {
	for _, function := range []string{"cuModuleLoadDataEx", "cuModuleGetFunction"} {
		t.Run(function, func(t *testing.T) {
			machine(t)
			sim.Fail(function, 1, 1)
			if _, err := Add(io.Discard, 0); err == nil {
				t.Error("it goes on")
			}
		})
	}
}
