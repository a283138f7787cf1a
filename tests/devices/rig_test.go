//go:build cudasim

package devices

import (
	"errors"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
)

// machine starts over with a simulated machine, and looks at the end of the test for what is left over.
func machine(t *testing.T, cfg sim.Config) {
	t.Helper()
	if cfg.Schedule == 0 {
		cfg.Schedule = 1
	}
	cfg.Hazards = true
	sim.Reset(cfg)
	t.Cleanup(func() {
		for _, f := range sim.Findings() {
			t.Error(f)
		}
	})
}

// closing closes what has to be closed at the end of the test.
func closing(t *testing.T, c interface{ Close() error }) {
	t.Helper()
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
}

// stream makes a stream of a device for the length of the test.
func stream(t *testing.T, d cuda.Device) cuda.Stream {
	t.Helper()
	s := must(d.NewStream(cuda.NonBlocking))
	closing(t, s)
	return s
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
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

// as finds an error of a type.
func as[E error](t *testing.T, err error) E {
	t.Helper()
	var e E
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want a %T", err, e)
	}
	return e
}
