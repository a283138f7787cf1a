package multigpu

import (
	"errors"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// ok stops the test on an error.
func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// sites opens both devices for the length of the test.
func sites(t *testing.T) (a, b *Site) {
	t.Helper()
	machine(t)
	list, err := cuda.Devices()
	ok(t, err)
	if len(list) < 2 {
		t.Skipf("there is %d device, and this wants two", len(list))
	}
	if can, err := cuda.Device(0).CanAccess(1); err != nil || !can {
		t.Skipf("device 0 cannot access memory of device 1: %v", err)
	}
	var s [2]*Site
	for d := range s {
		s[d], err = Open(cuda.Device(d))
		ok(t, err)
		t.Cleanup(func() { ok(t, s[d].Close()) })
	}
	return s[0], s[1]
}

// Numbers go from the host to one device, to the other, and back, while nobody waits in between.
func TestAcross(t *testing.T) {
	a, b := sites(t)
	in, out := make([]float32, 1<<20), make([]float32, 1<<20)
	for round := range 5 {
		for i := range in {
			in[i] = float32(i * (round + 1))
		}
		x, err := a.Pool.AllocOn(len(in), a.Stream)
		ok(t, err)
		ok(t, a.Pool.CopyToDevice(x, in, a.Stream))
		y, err := a.Send(x, b)
		ok(t, err)
		ok(t, a.Pool.FreeOn(x, a.Stream))
		ok(t, b.Pool.CopyToHost(out, y, b.Stream))
		ok(t, b.Pool.FreeOn(y, b.Stream))
		if !slices.Equal(in, out) {
			t.Fatalf("round %d: other numbers came back", round)
		}
	}
	for d, p := range []*PartPool{a.Pool, b.Pool} {
		if s := p.Stats(); s.Live != 0 || s.Allocs != 5 {
			t.Errorf("device %d: %+v", d, s)
		}
	}
}

// Each block lies on its pool's device, and belongs to that pool.
func TestPlaces(t *testing.T) {
	a, b := sites(t)
	for d, p := range []*PartPool{a.Pool, b.Pool} {
		x, err := p.Alloc(100)
		ok(t, err)
		if at, err := x.Addr().Device(); err != nil || at != cuda.Device(d) {
			t.Errorf("a block of device %d lies on %v: %v", d, at, err)
		}
		other := []*PartPool{b.Pool, a.Pool}[d]
		if err := other.Free(x); !errors.Is(err, poolrt.ErrForeign) {
			t.Errorf("freed in the other pool: %v", err)
		}
		ok(t, p.Free(x))
	}
}

// A device that is not there is an error that says how many there are.
func TestNoSuchDevice(t *testing.T) {
	machine(t)
	_, err := NewPartPool(poolrt.OnDevice(99))
	if !errors.Is(err, poolrt.ErrUnsupported) {
		t.Error(err)
	}
	t.Log(err)
}
