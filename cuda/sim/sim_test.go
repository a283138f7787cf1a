//go:build cudasim

package sim_test

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
)

// must stops the test on an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestThroughPackageCuda(t *testing.T) {
	sim.Reset(sim.Config{Devices: 1, Capacity: 1 << 20})
	sim.CheckHazards()
	dev := cuda.Device(0)
	p, err := dev.Alloc(1000)
	must(t, err)
	a, err := dev.NewStream(cuda.NonBlocking)
	must(t, err)
	b, err := dev.NewStream(cuda.NonBlocking)
	must(t, err)
	must(t, cuda.MemsetAsync(p, 1, 1000, a))
	if done, err := a.Query(); err != nil || done {
		t.Errorf("before Run: %v %v", done, err)
	}
	must(t, sim.Run(a))
	if done, err := a.Query(); err != nil || !done {
		t.Errorf("after Run: %v %v", done, err)
	}
	must(t, sim.HandOut(p, 1000, sim.On(a)))
	must(t, sim.TakeBack(p, 1000, sim.On(a)))
	if len(sim.Hazards()) != 0 {
		t.Error(sim.Hazards())
	}
	must(t, sim.HandOut(p, 1000, sim.On(b)))
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
