//go:build cudasim

package rig

import (
	"errors"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
)

// Machine resets the simulated machine, with the check for hazards. Its allocations touch, as those of the driver often do. A hazard, or a leak at the end of the
// test, fails the test.
func Machine(t testing.TB, cfg sim.Config) {
	t.Helper()
	cfg.Hazards, cfg.Touching = true, true
	sim.Reset(cfg)
	t.Cleanup(func() {
		for _, f := range sim.Findings() {
			t.Error(f)
		}
	})
}

// Closing closes something at the end of the test.
func Closing(t testing.TB, c interface{ Close() error }) {
	t.Helper()
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
}

// Stream makes a stream of a device. It is destroyed when the test ends.
func Stream(t testing.TB, d cuda.Device) cuda.Stream {
	t.Helper()
	s := Must(d.NewStream(cuda.NonBlocking))
	Closing(t, s)
	return s
}

// Must returns the value of a call that does not fail.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Second returns the error of a call.
func Second[T any](_ T, err error) error { return err }

// Check ends the test if something failed.
func Check(t testing.TB, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// Refused checks that an error matches another.
func Refused(t testing.TB, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got %v, want %v", what, err, want)
	}
}

// As returns the error of type E in the chain of err.
func As[E error](t testing.TB, err error) E {
	t.Helper()
	var e E
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want a %T", err, e)
	}
	return e
}
