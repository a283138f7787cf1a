//go:build linux && (amd64 || arm64) && (cgo || poolgen_purego)

package native

import (
	"testing"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/fake"
)

// A process loads a driver only once. Therefore each test that needs one runs again in a process of its own.

// inFake returns the driver inside the process that has one. Outside it runs the test there and returns nil.
func inFake(t *testing.T, switches ...string) abi.Driver {
	t.Helper()
	if fake.Inside(t) {
		return Open()
	}
	again(t, fake.Library(t, "testdata/fake.c", switches...))
	return nil
}

// again runs the test in a process that finds path as the driver.
func again(t *testing.T, path string) {
	t.Helper()
	fake.Again(t, "POOLGEN_CUDA_LIBRARY="+path)
}
