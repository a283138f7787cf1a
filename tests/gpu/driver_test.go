//go:build !cudasim

package gpu

import "testing"

// prepare has nothing to do where there is a device.
func prepare(testing.TB) {}
