//go:build cudasim

package cuda_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// inContext runs f on a thread with a current context, and checks that the context is still current afterwards.
func inContext(t *testing.T, handle uintptr, f func()) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ok(t, sim.SetContext(handle))
	f()
	if now := sim.Context(); now != handle {
		t.Errorf("the current context is %#x, was %#x", now, handle)
	}
	ok(t, sim.SetContext(0))
}

// onCurrent binds a pool to the current device.
func onCurrent() (poolimpl.Bound, error) {
	return cuda.Allocator{Name: "device", Kinds: []cuda.Kind{cuda.DeviceMemory{}, cuda.PinnedMemory{}}, Fallback: []string{"pinned"}, Device: cuda.AnyDevice}.Bind(poolimpl.Binding{Device: poolimpl.NoDevice, Limit: poolrt.NoLimit})
}

// Where the current context decides, a context other than the primary one is refused: its memory and its streams would not be those of the pool.
func TestForeignContextIsRefused(t *testing.T) {
	sim.Reset(sim.Config{Devices: 2})
	foreign := must(sim.NewContext(1))(t)
	stream := must(sim.NewStream(foreign))(t)
	inContext(t, foreign, func() {
		for name, err := range map[string]error{
			"default stream":        second(cuda.AdoptStream(0)),
			"legacy default stream": second(cuda.AdoptStream(1)),
			"stream":                second(cuda.AdoptStream(stream)),
			"pool":                  second(onCurrent()),
		} {
			if codeOf(err) != cuda.ResultInvalidContext || errors.Is(err, poolrt.ErrUnsupported) || !strings.Contains(err.Error(), "primary") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if d := must(cuda.CurrentDevice())(t); d != 1 {
			t.Errorf("the current device is %v", d)
		}
		b := must(cuda.Allocator{Name: "device", Kinds: []cuda.Kind{cuda.DeviceMemory{}}, Device: 1}.Bind(poolimpl.Binding{Device: poolimpl.NoDevice, Limit: poolrt.NoLimit}))(t)
		ok(t, b.Close())
		must(cuda.Device(1).DefaultStream())(t)
	})
	for _, f := range sim.Leaks() {
		if !strings.HasPrefix(f, "stream") {
			t.Error(f)
		}
	}
}

// A primary context is as good as none, whoever made it current.
func TestPrimaryContextIsAccepted(t *testing.T) {
	sim.Reset(sim.Config{Devices: 2})
	for d, handle := range map[cuda.Device]uintptr{0: 0, 1: must(cuda.Device(1).PrimaryContext())(t)} {
		inContext(t, handle, func() {
			if s := must(cuda.AdoptStream(0))(t); s != must(d.DefaultStream())(t) {
				t.Errorf("%v: the default stream is of %v", d, s.Device())
			}
			b := must(onCurrent())(t)
			if b.Device != int(d) || b.Allocator != "device" {
				t.Errorf("the pool is on device %d, want %v", b.Device, d)
			}
			ok(t, b.Close())
		})
	}
}

// A context that was destroyed while it was current counts as none.
func TestDestroyedContextCountsAsNone(t *testing.T) {
	sim.Reset(sim.Config{Devices: 2})
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ok(t, sim.SetContext(must(sim.NewContext(1))(t)))
	sim.Reset(sim.Config{Devices: 2})
	if s := must(cuda.AdoptStream(0))(t); s != (cuda.Stream{}) {
		t.Errorf("the default stream is of %v", s.Device())
	}
	ok(t, sim.SetContext(0))
}
