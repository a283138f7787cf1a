//go:build cudasim

package tiles

import (
	"errors"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
)

// machine starts over with a simulated machine, of one device unless more are asked for, and looks at the end of the test for what is left over.
func machine(t *testing.T, cfg sim.Config) {
	t.Helper()
	cfg.Devices = max(cfg.Devices, 1)
	cfg.Hazards = true
	sim.Reset(cfg)
	t.Cleanup(func() {
		for _, f := range sim.Findings() {
			t.Error(f)
		}
	})
}

// canvas makes one with a stream of its own for the length of the test.
func canvas(t *testing.T) *Canvas {
	t.Helper()
	s := stream(t)
	c := must[*Canvas](t)(NewCanvas(0, 2048, s))
	t.Cleanup(func() { check(t, "canvas", c.Close()) })
	return c
}

func stream(t *testing.T) cuda.Stream {
	t.Helper()
	s := must[cuda.Stream](t)(cuda.Device(0).NewStream(cuda.NonBlocking))
	t.Cleanup(func() { check(t, "stream", s.Close()) })
	return s
}

func closing(t *testing.T, p interface{ Close() error }) {
	t.Helper()
	t.Cleanup(func() { check(t, "close", p.Close()) })
}

func must[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		check(t, "call", err)
		return v
	}
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
