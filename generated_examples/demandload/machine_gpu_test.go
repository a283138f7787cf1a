//go:build !cudasim

package main

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
)

// machine skips the test where there is no GPU, or none with sparse arrays, and says why.
func machine(t *testing.T) {
	t.Helper()
	if err := cuda.Device(0).Supports("texture_tile"); err != nil {
		t.Skip(err)
	}
}
