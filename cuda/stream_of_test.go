//go:build cudasim

package cuda_test

import (
	"runtime"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/simulator"
	"github.com/poolgen/poolgen/cuda/sim"
)

// elsewhere makes a stream of a device as another binding would.
func elsewhere(t *testing.T, d cuda.Device) (handle uintptr, destroy func()) {
	t.Helper()
	ctx := must(d.PrimaryContext())(t)
	handle = must(sim.NewStream(ctx))(t)
	return handle, func() {
		t.Helper()
		if r := simulator.Default().StreamDestroy(abi.Context(ctx), abi.Stream(handle)); r != abi.Success {
			t.Fatal(r)
		}
	}
}

// A handle is looked up without the driver, after the first time.
func TestStreamOfKeeps(t *testing.T) {
	sim.Reset(sim.Config{Devices: 2})
	var handles []uintptr
	var streams []cuda.Stream
	for range 100 {
		h, _ := elsewhere(t, 1)
		s := must(cuda.StreamOf(1, h))(t)
		if want := must(cuda.AdoptStream(h))(t); s != want {
			t.Errorf("the stream is %v, adopted %v", s, want)
		}
		handles, streams = append(handles, h), append(streams, s)
	}
	before := sim.Calls("")
	for i, h := range handles {
		if s := must(cuda.StreamOf(1, h))(t); s != streams[i] {
			t.Errorf("handle %#x is %v, was %v", h, s, streams[i])
		}
	}
	if n := sim.Calls("") - before; n != 0 {
		t.Errorf("100 lookups called the driver %d times", n)
	}
	if n := testing.AllocsPerRun(100, func() { _, _ = cuda.StreamOf(1, handles[0]) }); n != 0 {
		t.Errorf("a lookup allocates %v times", n)
	}
}

// The handles of default streams name no device, so the caller does. No context has to be current, or may be another one.
func TestStreamOfDefaultStreams(t *testing.T) {
	sim.Reset(sim.Config{Devices: 2})
	for _, current := range []uintptr{0, must(sim.NewContext(0))(t)} {
		inContext(t, current, func() {
			for d := range cuda.Device(2) {
				for _, h := range []uintptr{0, 1} {
					if s := must(cuda.StreamOf(d, h))(t); s != must(d.DefaultStream())(t) {
						t.Errorf("handle %d of %v is %v", h, d, s)
					}
				}
			}
		})
	}
}

func TestStreamOfRefuses(t *testing.T) {
	sim.Reset(sim.Config{Devices: 2})
	h, destroy := elsewhere(t, 1)
	of1 := must(cuda.StreamOf(1, h))(t)
	foreign := must(sim.NewStream(must(sim.NewContext(1))(t)))(t)
	check := func(what string, d cuda.Device, handle uintptr, want cuda.Result) {
		t.Helper()
		if err := second(cuda.StreamOf(d, handle)); codeOf(err) != want {
			t.Errorf("%s: %v", what, err)
		}
	}
	for range 2 { // the first error is not kept
		check("of another device", 0, h, cuda.ResultInvalidHandle)
		check("of another context", 1, foreign, cuda.ResultInvalidContext)
		check("no handle", 1, 99, cuda.ResultInvalidHandle)
		check("the per-thread default stream", 1, 2, cuda.ResultInvalidValue)
		check("the default stream of no device", 7, 0, cuda.ResultInvalidDevice)
	}
	if s := must(cuda.StreamOf(1, h))(t); s != of1 {
		t.Errorf("the stream is %v, was %v", s, of1)
	}
	destroy()
	for range 64 {
		_, _ = cuda.StreamOf(1, h)
	}
	check("destroyed", 1, h, cuda.ResultInvalidHandle)
}

// A handle that the driver uses again for another stream is noticed: after some lookups, at once after Close, and when a pool was about to put a fence on the
// stream.
func TestStreamOfNoticesAnotherStream(t *testing.T) {
	for _, how := range []string{"lookups", "Close", "fence", "another device", "another machine"} {
		sim.Reset(sim.Config{Devices: 2, Recycle: true})
		h, destroy := elsewhere(t, 0)
		first := must(cuda.StreamOf(0, h))(t)
		want, lookups := cuda.Device(0), 1
		switch how {
		case "lookups":
			destroy()
			lookups = 64
		case "Close":
			ok(t, first.Close())
		case "fence":
			destroy()
			b := bound(t, cuda.Allocator{Name: "device", Kinds: []cuda.Kind{cuda.DeviceMemory{}}})
			b.Timeline.Release(must(b.Timeline.Record(first.Key()))(t))
			ok(t, b.Close())
		case "another device":
			destroy()
			want = 1
		case "another machine":
			sim.Reset(sim.Config{Devices: 2, Recycle: true})
		}
		again, _ := elsewhere(t, want)
		if how != "another machine" && again != h {
			t.Fatalf("%s: the handle is %#x, was %#x: the test tests nothing", how, again, h)
		}
		var last cuda.Stream
		for range lookups {
			last = must(cuda.StreamOf(want, again))(t)
		}
		if now := must(cuda.AdoptStream(again))(t); last != now || last == first {
			t.Errorf("%s: the stream is %v, not %v", how, last, now)
		}
	}
}

// Goroutines look up handles while others make room for more.
func TestStreamOfTogether(t *testing.T) {
	sim.Reset(sim.Config{Devices: 1})
	done := make(chan struct{})
	for range 4 {
		go func() {
			defer func() { done <- struct{}{} }()
			for range 300 {
				h := must(sim.NewStream(must(cuda.Device(0).PrimaryContext())(t)))(t)
				for range 3 {
					if s := must(cuda.StreamOf(0, h))(t); s.Handle() != h {
						t.Errorf("the handle is %#x, not %#x", s.Handle(), h)
					}
				}
				runtime.Gosched()
			}
		}()
	}
	for range 4 {
		<-done
	}
}
