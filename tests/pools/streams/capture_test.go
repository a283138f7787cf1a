//go:build cudasim

package streams

import (
	"errors"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
	"github.com/poolgen/poolgen/tests/pools/streams/pools"
)

// unsupported checks that a call that a capture forbids is refused.
func unsupported(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, poolrt.ErrUnsupported) {
		t.Errorf("%s: %v", what, err)
	}
}

// While a stream is captured, or has joined a capture, nothing is allocated or freed on it, and the capture succeeds.
func TestCapture(t *testing.T) {
	for _, s := range Subjects() {
		t.Run(s.Name, func(t *testing.T) {
			rig.Machine(t, sim.Config{Devices: 1, Schedule: 3})
			origin, joined, other := rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking)), rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking)), rig.Must(cuda.Device(0).NewStream())
			fork, join := rig.Must(cuda.Device(0).NewEvent()), rig.Must(cuda.Device(0).NewEvent())
			before := rig.Must(s.Alloc(1000)) // freed before the capture, with a fence
			rig.Check(t, "work", cuda.MemsetAsync(before.Addr, 1, before.Bytes, origin))
			rig.Check(t, "free", s.FreeOn(before, origin))
			kept, freed := rig.Must(s.Alloc(1000)), rig.Must(s.Alloc(1000))

			rig.Check(t, "begin", origin.BeginCapture())
			rig.Check(t, "fork", fork.Record(origin))
			rig.Check(t, "fork", joined.Wait(fork))
			rig.Check(t, "work", cuda.MemsetAsync(kept.Addr, 1, kept.Bytes, joined))
			for _, on := range []cuda.Stream{origin, joined} {
				if s.AllocOn != nil {
					_, err := s.AllocOn(1000, on)
					unsupported(t, "alloc", err)
				}
				unsupported(t, "free", s.FreeOn(freed, on))
			}
			rig.Check(t, "free on another", s.FreeOn(freed, other))
			if s.AllocOn != nil {
				b := rig.Must(s.AllocOn(1000, other))
				rig.Check(t, "free on another", s.FreeOn(b, other))
			}
			sim.RunAll()
			_ = s.Pool.Poll()
			sim.RunAll()
			s.Pool.Poll()
			if n := s.Pool.Stats().Pending; (n == 0) == (s.Name == "own") { // its pool is for one goroutine, and is not notified of captures
				t.Errorf("%d pending", n)
			}
			if _, err := s.Pool.Trim(0); (err == nil) == (s.Name == "own") {
				t.Errorf("trim: %v", err)
			}
			rig.Check(t, "join", join.Record(joined))
			rig.Check(t, "join", origin.Wait(join))
			graph := rig.Must(origin.EndCapture())

			for range 2 {
				rig.Check(t, "launch", graph.Launch(other))
			}
			rig.Check(t, "free", s.FreeOn(kept, other)) // the last launch is on other
			if s.AllocOn != nil {
				b := rig.Must(s.AllocOn(1000, origin))
				rig.Check(t, "work", cuda.MemsetAsync(b.Addr, 2, b.Bytes, origin))
				rig.Check(t, "free", s.FreeOn(b, origin))
			}
			rig.Check(t, "close", s.Pool.Close())
			for _, c := range []interface{ Close() error }{graph, fork, join, origin, joined, other} {
				rig.Check(t, "close", c.Close())
			}
		})
	}
}

// Frees of a stream stay pending while another binding captures the stream; no call invalidates the capture, and calls that need the frees return the error. If the driver
// orders each block, it has taken them back before the capture, and no call needs the stream.
func TestForeignCapture(t *testing.T) {
	for _, s := range Subjects() {
		t.Run(s.Name, func(t *testing.T) {
			rig.Machine(t, sim.Config{Devices: 1, Schedule: 3})
			on := rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking))
			b := rig.Must(s.Alloc(1000))
			rig.Check(t, "work", cuda.MemsetAsync(b.Addr, 1, b.Bytes, on))
			rig.Check(t, "free", s.FreeOn(b, on))
			rig.Check(t, "begin", sim.BeginCapture(on))
			sim.RunAll()
			if n := s.Pool.Poll(); n != 0 {
				t.Errorf("%d reclaimed", n)
			}
			_, err := s.Pool.Trim(0)
			if s.byDriver() {
				rig.Check(t, "trim", err)
				rig.Check(t, "close", s.Pool.Close())
			} else {
				unsupported(t, "trim", err)
				unsupported(t, "close", s.Pool.Close())
			}
			rig.Check(t, "end", sim.EndCapture(on))
			s.Pool.Poll() // records a fence
			sim.RunAll()
			if s.Pool.Poll(); s.Pool.Stats().Pending != 0 {
				t.Error("frees from before the capture stay pending after it")
			}
			rig.Check(t, "close", s.Pool.Close())
			rig.Check(t, "close", on.Close())
		})
	}
}

// A capture that another binding has begun is noticed while the program says that there may be one: nothing is allocated or freed on its streams.
func TestForeignCaptureIsNoticed(t *testing.T) {
	defer cuda.WatchCaptures(false)
	for _, s := range Subjects() {
		t.Run(s.Name, func(t *testing.T) {
			rig.Machine(t, sim.Config{Devices: 1, Schedule: 3})
			origin, joined := rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking)), rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking))
			fork, join := rig.Must(cuda.Device(0).NewEvent()), rig.Must(cuda.Device(0).NewEvent())
			on := func(what string, check func(what string, err error)) {
				for _, on := range []cuda.Stream{origin, joined} {
					b := rig.Must(s.Alloc(1000))
					if s.AllocOn != nil {
						got, err := s.AllocOn(1000, on)
						if check(what+": alloc", err); err == nil {
							rig.Check(t, "free", s.FreeOn(got, on))
						}
					}
					err := s.FreeOn(b, on)
					if check(what+": free", err); err != nil {
						rig.Check(t, "free", s.Free(b))
					}
				}
			}
			cuda.WatchCaptures(true)
			on("before", func(what string, err error) { rig.Check(t, what, err) })
			rig.Check(t, "begin", sim.BeginCapture(origin))
			rig.Check(t, "fork", fork.Record(origin))
			rig.Check(t, "fork", joined.Wait(fork))
			on("capture", func(what string, err error) { unsupported(t, what, err) })
			rig.Check(t, "join", join.Record(joined))
			rig.Check(t, "join", origin.Wait(join))
			rig.Check(t, "end", sim.EndCapture(origin))
			on("after", func(what string, err error) { rig.Check(t, what, err) })

			sim.RunAll()
			s.Pool.Poll()
			rig.Check(t, "close", s.Pool.Close())
			for _, c := range []interface{ Close() error }{fork, join, origin, joined} {
				rig.Check(t, "close", c.Close())
			}
		})
	}
}

// At the limit, a captured stream is not made to wait for others, and the error names the reason.
func TestForeignCaptureAtTheLimit(t *testing.T) {
	sim.Reset(sim.Config{Devices: 1}) // streams do not advance
	p := new(pools.HeapPool)
	a, b := rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking)), rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking))
	for range 8 {
		x := rig.Must(p.AllocOn(64<<10, a))
		rig.Check(t, "work", cuda.MemsetAsync(x.Addr(), 1, x.Bytes(), a))
		rig.Check(t, "free", p.FreeAsync(x, a))
		_ = rig.Must(p.AllocOn(64<<10, b)) // never freed
		if p.Stats().Reserved == 512<<10 {
			break
		}
	}
	rig.Check(t, "begin", sim.BeginCapture(b))
	for range 8 {
		_, err := p.AllocOn(64<<10, b)
		if err == nil {
			continue // there was a block that no stream uses
		}
		unsupported(t, "at the limit", err)
		if !errors.Is(err, poolrt.ErrLimit) {
			t.Error(err)
		}
	}
	rig.Check(t, "end", sim.EndCapture(b))
	_ = rig.Must(p.AllocOn(32<<10, b)) // makes b wait
	sim.RunAll()
	rig.Check(t, "close", p.CloseForce())
}

// After a capture that failed, or ended with its stream, the pool does not query the driver about it.
func TestCaptureIsForgotten(t *testing.T) {
	rig.Machine(t, sim.Config{Devices: 1, Schedule: 3})
	p := new(pools.HeapPool)
	legacy := rig.Must(cuda.Device(0).DefaultStream())
	if legacy.BeginCapture() == nil {
		t.Error("a default stream captures")
	}
	s := rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking))
	rig.Check(t, "begin", s.BeginCapture())
	if s.BeginCapture() == nil { // invalidates the capture
		t.Error("two captures of one stream")
	}
	b := rig.Must(p.Alloc(100))
	unsupported(t, "free", p.FreeOn(b, s))
	if _, err := s.EndCapture(); err == nil {
		t.Error("a spoilt capture makes a graph")
	}
	if s.Captured() {
		t.Error("captured still")
	}
	before := sim.Calls("cuStreamIsCapturing")
	rig.Check(t, "free", p.FreeOn(b, s))
	if sim.Calls("cuStreamIsCapturing") != before && !poolrt.Debug {
		t.Error("the driver is asked though nothing is captured")
	}
	rig.Check(t, "begin", s.BeginCapture())
	rig.Check(t, "stream", s.Close())
	if s.Captured() {
		t.Error("a stream that is gone is captured still")
	}
	before = sim.Calls("cuStreamIsCapturing")
	rig.Check(t, "free", p.FreeOn(rig.Must(p.Alloc(100)), legacy))
	if sim.Calls("cuStreamIsCapturing") != before && !poolrt.Debug {
		t.Error("the driver is asked though the stream that was captured is gone")
	}
	rig.Check(t, "close", p.Close())
}
