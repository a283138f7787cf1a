//go:build cudasim

package streams

import (
	"errors"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/streams/pools"
)

// settled wants nothing to be left over.
func settled(t *testing.T) {
	t.Helper()
	for _, f := range sim.Findings() {
		t.Error(f)
	}
}

// unsupported wants the refusal of what a capture forbids.
func unsupported(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, runtime.ErrUnsupported) {
		t.Errorf("%s: %v", what, err)
	}
}

// While a stream is captured, or has joined a capture, nothing is allocated or freed on it, and the capture comes to a good end.
func TestCapture(t *testing.T) {
	for _, s := range pools.Subjects() {
		t.Run(s.Name, func(t *testing.T) {
			sim.Reset(sim.Config{Devices: 1, Schedule: 3})
			sim.CheckHazards()
			origin, joined, other := must(cuda.Device(0).NewStream(cuda.NonBlocking)), must(cuda.Device(0).NewStream(cuda.NonBlocking)), must(cuda.Device(0).NewStream())
			fork, join := must(cuda.Device(0).NewEvent()), must(cuda.Device(0).NewEvent())
			before := must(s.Alloc(1000)) // freed before, and marked before it cannot be
			check(t, "work", cuda.MemsetAsync(before.Addr, 1, before.Bytes, origin))
			check(t, "free", s.FreeOn(before, origin))
			kept, freed := must(s.Alloc(1000)), must(s.Alloc(1000))

			check(t, "begin", origin.BeginCapture())
			check(t, "fork", fork.Record(origin))
			check(t, "fork", joined.Wait(fork))
			check(t, "work", cuda.MemsetAsync(kept.Addr, 1, kept.Bytes, joined))
			for _, on := range []cuda.Stream{origin, joined} {
				if s.AllocOn != nil {
					_, err := s.AllocOn(1000, on)
					unsupported(t, "alloc", err)
				}
				unsupported(t, "free", s.FreeOn(freed, on))
			}
			check(t, "free on another", s.FreeOn(freed, other))
			if s.AllocOn != nil {
				b := must(s.AllocOn(1000, other))
				check(t, "free on another", s.FreeOn(b, other))
			}
			sim.RunAll()
			_ = s.Pool.Poll()
			sim.RunAll()
			s.Pool.Poll()
			if n := s.Pool.Stats().Pending; (n == 0) == (s.Name == "own") { // which is not told that a capture begins, as nobody else may call it
				t.Errorf("%d pending", n)
			}
			if _, err := s.Pool.Trim(0); (err == nil) == (s.Name == "own") {
				t.Errorf("trim: %v", err)
			}
			check(t, "join", join.Record(joined))
			check(t, "join", origin.Wait(join))
			graph := must(origin.EndCapture())

			for range 2 {
				check(t, "launch", graph.Launch(other))
			}
			check(t, "free", s.FreeOn(kept, other)) // the last launch is on other
			if s.AllocOn != nil {
				b := must(s.AllocOn(1000, origin))
				check(t, "work", cuda.MemsetAsync(b.Addr, 2, b.Bytes, origin))
				check(t, "free", s.FreeOn(b, origin))
			}
			check(t, "close", s.Pool.Close())
			for _, c := range []interface{ Close() error }{graph, fork, join, origin, joined, other} {
				check(t, "close", c.Close())
			}
			settled(t)
		})
	}
}

// What a stream freed stays parked while another binding captures it; nobody spoils the capture, and those who ask are told.
func TestForeignCapture(t *testing.T) {
	for _, s := range pools.Subjects() {
		t.Run(s.Name, func(t *testing.T) {
			sim.Reset(sim.Config{Devices: 1, Schedule: 3})
			sim.CheckHazards()
			on := must(cuda.Device(0).NewStream(cuda.NonBlocking))
			b := must(s.Alloc(1000))
			check(t, "work", cuda.MemsetAsync(b.Addr, 1, b.Bytes, on))
			check(t, "free", s.FreeOn(b, on))
			check(t, "begin", sim.BeginCapture(on))
			sim.RunAll()
			if n := s.Pool.Poll(); n != 0 {
				t.Errorf("%d retired", n)
			}
			_, err := s.Pool.Trim(0)
			unsupported(t, "trim", err)
			unsupported(t, "close", s.Pool.Close())
			check(t, "end", sim.EndCapture(on))
			s.Pool.Poll() // marks it
			sim.RunAll()
			if s.Pool.Poll(); s.Pool.Stats().Pending != 0 {
				t.Error("what was freed before the capture stays parked after it")
			}
			check(t, "close", s.Pool.Close())
			check(t, "close", on.Close())
			settled(t)
		})
	}
}

// At the limit a stream that captures is not made to wait for others, and the failure says why.
func TestForeignCaptureAtTheLimit(t *testing.T) {
	sim.Reset(sim.Config{Devices: 1}) // streams stand still
	p := new(pools.HeapPool)
	a, b := must(cuda.Device(0).NewStream(cuda.NonBlocking)), must(cuda.Device(0).NewStream(cuda.NonBlocking))
	for range 8 {
		x := must(p.AllocOn(64<<10, a))
		check(t, "work", cuda.MemsetAsync(x.Addr(), 1, x.Bytes(), a))
		check(t, "free", p.FreeAsync(x, a))
		_ = must(p.AllocOn(64<<10, b)) // never freed
		if p.Stats().Reserved == 512<<10 {
			break
		}
	}
	check(t, "begin", sim.BeginCapture(b))
	for range 8 {
		_, err := p.AllocOn(64<<10, b)
		if err == nil {
			continue // there was a block that no stream is at work with
		}
		unsupported(t, "at the limit", err)
		if !errors.Is(err, runtime.ErrLimit) {
			t.Error(err)
		}
	}
	check(t, "end", sim.EndCapture(b))
	_ = must(p.AllocOn(32<<10, b)) // is made to wait
	sim.RunAll()
	check(t, "close", p.CloseForce())
}

// Captures that fail, or end with their stream, are forgotten: nothing is asked of the driver afterwards.
func TestCaptureIsForgotten(t *testing.T) {
	sim.Reset(sim.Config{Devices: 1, Schedule: 3})
	p := new(pools.HeapPool)
	legacy := must(cuda.Device(0).DefaultStream())
	if legacy.BeginCapture() == nil {
		t.Error("a default stream captures")
	}
	s := must(cuda.Device(0).NewStream(cuda.NonBlocking))
	check(t, "begin", s.BeginCapture())
	if s.BeginCapture() == nil { // and spoils it
		t.Error("two captures of one stream")
	}
	b := must(p.Alloc(100))
	unsupported(t, "free", p.FreeOn(b, s))
	if _, err := s.EndCapture(); err == nil {
		t.Error("a spoilt capture makes a graph")
	}
	if s.Captured() {
		t.Error("captured still")
	}
	before := sim.Calls("cuStreamIsCapturing")
	check(t, "free", p.FreeOn(b, s))
	if sim.Calls("cuStreamIsCapturing") != before {
		t.Error("the driver is asked though nothing is captured")
	}
	check(t, "stream", s.Close())
	check(t, "close", p.Close())
	settled(t)
}
