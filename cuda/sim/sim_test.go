//go:build cudasim

package sim_test

import (
	"errors"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

func TestThroughPackageCuda(t *testing.T) {
	sim.Reset(sim.Config{Devices: 1, Capacity: 1 << 20})
	sim.CheckHazards()
	if cuda.Backend() != "simulator" {
		t.Errorf("the backend is %q", cuda.Backend())
	}
	dev := cuda.Device(0)
	p, err := dev.Alloc(1000)
	fatal.If(t, err)
	a, err := dev.NewStream(cuda.NonBlocking)
	fatal.If(t, err)
	b, err := dev.NewStream(cuda.NonBlocking)
	fatal.If(t, err)
	fatal.If(t, cuda.MemsetAsync(p, 1, 1000, a))
	if done, err := a.Query(); err != nil || done {
		t.Errorf("before Run: %v %v", done, err)
	}
	fatal.If(t, sim.Run(a))
	if done, err := a.Query(); err != nil || !done {
		t.Errorf("after Run: %v %v", done, err)
	}
	fatal.If(t, sim.HandOut(p, 1000, sim.On(a)))
	fatal.If(t, sim.TakeBack(p, 1000, sim.On(a)))
	if len(sim.Hazards()) != 0 {
		t.Error(sim.Hazards())
	}
	fatal.If(t, sim.HandOut(p, 1000, sim.On(b)))
	if len(sim.Hazards()) == 0 {
		t.Error("no hazard")
	}
	if sim.Use(p+2000, 1, sim.Host(), false) == nil {
		t.Error("use of nothing")
	}
	if len(sim.Leaks()) != 3 || sim.Live()[sim.KindStream] != 2 {
		t.Errorf("%q", sim.Leaks())
	}
	sim.Fail("cuMemAlloc", 1, 2)
	if _, err := dev.Alloc(1); err == nil {
		t.Error("no failure")
	}
	if n := sim.Calls("cuMemAlloc"); n != 2 {
		t.Errorf("%d calls", n)
	}
}

func TestStepRunsOneOperation(t *testing.T) {
	sim.Reset(sim.Config{Devices: 1})
	dev := cuda.Device(0)
	p, err := dev.Alloc(8)
	fatal.If(t, err)
	s, err := dev.NewStream(cuda.NonBlocking)
	fatal.If(t, err)
	fatal.If(t, cuda.MemsetAsync(p, 1, 8, s))
	fatal.If(t, cuda.MemsetAsync(p, 2, 8, s))
	for _, want := range []bool{true, true, false} {
		if done, err := s.Query(); err != nil || done == want {
			t.Errorf("with operations left: %v, and the stream is done: %v, %v", want, done, err)
		}
		if got := sim.Step(); got != want {
			t.Errorf("Step: %v, want %v", got, want)
		}
	}
}

func TestRemovedFunctionIsMissed(t *testing.T) {
	sim.Reset(sim.Config{Devices: 1})
	if !cuda.Has("cuMemAlloc") {
		t.Error("there is no cuMemAlloc")
	}
	sim.RemoveFunction("cuMemAlloc")
	if _, err := cuda.Device(0).Alloc(8); !errors.Is(err, poolrt.ErrUnsupported) || cuda.Has("cuMemAlloc") {
		t.Errorf("Alloc without cuMemAlloc: %v", err)
	}
}
