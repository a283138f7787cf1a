//go:build cudasim

package pages

import (
	"errors"
	"testing"

	"github.com/poolgen/poolgen/cuda/sim"
)

// machine starts over with a machine of two devices, and looks at the end of the test for what is left over.
func machine(t *testing.T) {
	t.Helper()
	sim.Reset(sim.Config{Devices: 2, Capacity: 64 << 20, Schedule: 1, Hazards: true})
	t.Cleanup(findings(t))
}

func findings(t *testing.T) func() {
	return func() {
		for _, f := range sim.Findings() {
			t.Error(f)
		}
	}
}

// closing closes a pool at the end of the test.
func closing(t *testing.T, c interface{ Close() error }) {
	t.Helper()
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
}

func check(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// refused wants an error that matches.
func refused(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got %v, want %v", what, err, want)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func second[T any](_ T, err error) error { return err }
