package simulator

import (
	"maps"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

func TestFailTheNthCall(t *testing.T) {
	r := newRig(t, Config{})
	r.Fail("cuMemAlloc", 2, abi.OutOfMemory)
	r.Fail("cuMemAlloc", 3, abi.Unknown)
	for i, want := range []abi.Result{0, abi.OutOfMemory, abi.Unknown, 0} {
		if _, got := r.MemAlloc(r.ctx, 8); got != want {
			t.Errorf("call %d: %d", i+1, got)
		}
	}
	r.Fail("cuMemAlloc", 0, abi.NotPermitted)
	for range 3 {
		_, got := r.MemAlloc(r.ctx, 8)
		r.want(got, abi.NotPermitted)
	}
	r.Fail("cuMemAlloc", 0, abi.Success)
	r.alloc(8)
	if n := r.Calls("cuMemAlloc"); n != 8 {
		t.Errorf("%d calls", n)
	}
}

func TestFailedReleaseKeepsTheObject(t *testing.T) {
	r := newRig(t, Config{})
	p := r.alloc(8)
	r.Fail("cuMemFree", 1, abi.Unknown)
	r.want(r.MemFree(r.ctx, p), abi.Unknown)
	if r.Live()[KindMemory] != 1 {
		t.Error("gone")
	}
	r.ok(r.MemFree(r.ctx, p))
}

func TestLoad(t *testing.T) {
	d := New(Config{})
	d.Fail("cuInit", 1, abi.SystemNotReady)
	if s := d.Load(); s.Result != abi.SystemNotReady || s.Path != "simulator" {
		t.Errorf("%+v", s)
	}
	if s := d.Load(); s.Result != abi.Success {
		t.Errorf("%+v", s)
	}
	if s := New(Config{Devices: -1}).Load(); s.Result != abi.NoDevice {
		t.Errorf("%+v", s)
	}
}

// Whichever function is called first loads the simulator, or says why that fails.
func TestFirstCallLoads(t *testing.T) {
	d := New(Config{})
	d.Fail("cuInit", 1, abi.SystemNotReady)
	for _, want := range []abi.Result{abi.SystemNotReady, abi.Success} {
		if _, r := d.DeviceGetName(0); r != want {
			t.Errorf("result %d, want %d", r, want)
		}
	}
	if _, r := New(Config{Devices: -1}).DeviceGetCount(); r != abi.NoDevice {
		t.Errorf("without devices: %d", r)
	}
}

func TestRemovedFunction(t *testing.T) {
	r := newRig(t, Config{Missing: []string{"cuMemPoolCreate"}})
	if r.Has("cuMemPoolCreate") || r.Has("cuNonsense") || !r.Has("cuMemAlloc") {
		t.Error("Has")
	}
	_, got := r.MemPoolCreate(abi.PoolProps{})
	r.want(got, abi.NoFunction)
	r.RemoveFunction("cuMemAlloc")
	_, got = r.MemAlloc(r.ctx, 8)
	r.want(got, abi.NoFunction)
}

func TestLiveAndLeaks(t *testing.T) {
	r := newRig(t, Config{})
	p, s, e := r.alloc(100), r.stream(), r.event()
	want := map[Kind]int{KindMemory: 1, KindStream: 1, KindEvent: 1}
	if got := r.Live(); !maps.Equal(got, want) {
		t.Errorf("live: %v", got)
	}
	leaks := r.Leaks()
	if len(leaks) != 3 || !strings.Contains(leaks[0], "device memory") || !strings.Contains(leaks[0], "100 bytes") ||
		!strings.Contains(leaks[0], "_test.go:") {
		t.Errorf("leaks: %q", leaks)
	}
	r.ok(r.MemFree(r.ctx, p))
	r.ok(r.StreamDestroy(r.ctx, s))
	r.ok(r.EventDestroy(r.ctx, e))
	if got := r.Live(); len(got) != 0 {
		t.Errorf("live: %v", got)
	}
}

func TestReset(t *testing.T) {
	r := newRig(t, Config{})
	s := r.stream()
	p := r.alloc(8)
	r.Reset(Config{Capacity: 1 << 20})
	r.want(r.StreamQuery(r.ctx, s), abi.InvalidHandle)
	r.want(r.MemFree(r.ctx, p), abi.InvalidValue)
	if q := r.alloc(8); q <= p {
		t.Errorf("%#x came again as %#x", p, q)
	}
	if n := r.Calls("cuMemAlloc"); n != 1 {
		t.Errorf("%d calls", n)
	}
}
