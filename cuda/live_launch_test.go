package cuda_test

import (
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/poolgen/poolgen/cuda"
)

// The tests of this file need no kernels: they run on a device and on the simulator.

// captured captures fills of a word each, by value.
func captured(t *testing.T, s cuda.Stream, p cuda.DevicePtr, values ...byte) cuda.Graph {
	t.Helper()
	ok(t, s.BeginCapture())
	for i, v := range values {
		ok(t, cuda.MemsetAsync(p.Add(int64(4*i)), v, 4, s))
	}
	return must(s.EndCapture())(t)
}

func TestInstantiatedGraph(t *testing.T) {
	d := device0(t)
	a, b := must(d.NewStream(cuda.NonBlocking))(t), must(d.NewStream(cuda.NonBlocking))(t)
	p := must(d.Alloc(8))(t)
	g := captured(t, a, p, 1, 2)
	e := must(g.Instantiate())(t)
	ok(t, g.Close()) // the instantiated graph does not need it
	got := make([]uint32, 2)
	for range 100 {
		ok(t, cuda.MemsetAsync(p, 9, 8, a))
		ok(t, e.Launch(a))
		ok(t, e.Launch(b)) // after the launch on a
		ok(t, b.Synchronize())
		ok(t, cuda.CopyToHost(got, p))
		if !slices.Equal(got, []uint32{0x01010101, 0x02020202}) {
			t.Fatalf("the graph left %#x", got)
		}
	}
	ok(t, e.Launch(a))
	ok(t, e.Close()) // the launch is completed
	for _, err := range []error{a.Synchronize(), a.Close(), b.Close(), d.Free(p)} {
		ok(t, err)
	}
	if e.Handle() == 0 {
		t.Error("no handle")
	}
}

func TestTypedCopies(t *testing.T) {
	d := device0(t)
	type particle struct {
		at   [3]float32
		mass float64
		on   bool
	}
	s := must(d.NewStream(cuda.NonBlocking))(t)
	p := must(d.Alloc(someBytes))(t)
	want := []particle{{[3]float32{1, 2, 3}, 4, true}, {[3]float32{5, 6, 7}, 8, false}}
	got := make([]particle, 2)
	ok(t, cuda.CopyToDevice(p, want))
	ok(t, cuda.CopyToHost(got, p))
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	words, back := []int32{-1, 2, -3}, make([]int32, 3)
	ok(t, cuda.CopyToDeviceAsync(p, words, s))
	ok(t, cuda.CopyToHostAsync(back, p, s))
	if !slices.Equal(back, words) {
		t.Errorf("%v, want %v", back, words)
	}
	ok(t, cuda.CopyToDevice(p, []float64(nil)))
	text := []string{"a Go pointer"}
	for name, err := range map[string]error{
		"to device": cuda.CopyToDevice(p, text), "to host": cuda.CopyToHost(text, p),
		"to device, queued": cuda.CopyToDeviceAsync(p, text, s), "to host, queued": cuda.CopyToHostAsync(text, p, s),
		"pointer in a struct": cuda.CopyToDevice(p, []struct{ p *int }{{}}),
	} {
		if codeOf(err) != cuda.ResultInvalidValue {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, err := range []error{s.Close(), d.Free(p)} {
		ok(t, err)
	}
}

// Copies of registered memory do not wait: they can be captured.
func TestRegisteredMemory(t *testing.T) {
	d := device0(t)
	s := must(d.NewStream(cuda.NonBlocking))(t)
	p := must(d.Alloc(someBytes))(t)
	b := make([]byte, someBytes)
	copy(b, pattern(someBytes))
	ok(t, d.RegisterHost(b))
	if err := d.RegisterHost(b); err == nil {
		t.Error("registered twice")
	}
	must(d.HostAddress(b[100:200]))(t)
	ok(t, s.BeginCapture())
	ok(t, cuda.CopyToDeviceAsync(p, b, s))
	g := must(s.EndCapture())(t)
	ok(t, g.Launch(s))
	runtime.GC()
	ok(t, s.Synchronize())
	got := make([]byte, someBytes)
	ok(t, cuda.CopyToHost(got, p))
	if !slices.Equal(got, b) {
		t.Error("the copy differs")
	}
	ok(t, d.UnregisterHost(b))
	if err := d.UnregisterHost(b); err == nil {
		t.Error("unregistered twice")
	}
	ok(t, d.RegisterHost(b))
	ok(t, d.UnregisterHost(b))
	ok(t, d.UnregisterHost(nil))
	if err := d.RegisterHost(nil); codeOf(err) != cuda.ResultInvalidValue {
		t.Errorf("nothing registered: %v", err)
	}
	for _, err := range []error{g.Close(), s.Close(), d.Free(p)} {
		ok(t, err)
	}
}

// A host function runs once, between the earlier and the later work of its stream.
func TestHostFunc(t *testing.T) {
	d := device0(t)
	s := must(d.NewStream(cuda.NonBlocking))(t)
	p := must(d.Alloc(8))(t)
	first, second := must(d.AllocHost(8, 0))(t), must(d.AllocHost(8, 0))(t)
	var calls atomic.Int32
	var seen byte
	done := make(chan struct{}, 1)
	ok(t, cuda.MemsetAsync(p, 5, 8, s))
	ok(t, cuda.CopyToHostAsync(first, p, s))
	ok(t, s.LaunchHostFunc(func() {
		seen = first[0]
		second[0] = 7 // what the stream copies next
		calls.Add(1)
		done <- struct{}{}
	}))
	ok(t, cuda.CopyToDeviceAsync(p, second, s))
	ok(t, s.LaunchHostFunc(runtime.Goexit)) // ends the function alone
	ok(t, s.Synchronize())
	<-done
	got := make([]byte, 1)
	ok(t, cuda.CopyToHost(got, p))
	if calls.Load() != 1 || seen != 5 || got[0] != 7 {
		t.Errorf("%d calls, which saw %d; the copy after them is %d", calls.Load(), seen, got[0])
	}
	for range 1000 {
		ok(t, s.LaunchHostFunc(func() { calls.Add(1) }))
	}
	ok(t, s.Synchronize())
	if calls.Load() != 1001 {
		t.Errorf("%d calls", calls.Load())
	}
	ok(t, s.BeginCapture())
	if err := s.LaunchHostFunc(func() {}); codeOf(err) != cuda.ResultStreamCaptureUnsupported {
		t.Errorf("in a capture: %v", err)
	}
	g := must(s.EndCapture())(t) // the refusal does not harm the capture
	if err := s.LaunchHostFunc(nil); codeOf(err) != cuda.ResultInvalidValue {
		t.Errorf("nil: %v", err)
	}
	for _, err := range []error{g.Close(), s.Close(), d.Free(p), d.FreeHost(first), d.FreeHost(second)} {
		ok(t, err)
	}
}

func TestPrimaryContextFlags(t *testing.T) {
	d := device0(t)
	before, _, err := d.PrimaryContextState()
	ok(t, err)
	ok(t, d.SetPrimaryContextFlags(cuda.ScheduleBlockingSync))
	must(d.PrimaryContext())(t)
	now, active, err := d.PrimaryContextState()
	ok(t, err)
	if now&cuda.ScheduleBlockingSync == 0 || !active {
		t.Errorf("flags %#x, active %v", now, active)
	}
	ok(t, d.Synchronize())
	if err := d.SetPrimaryContextFlags(cuda.ScheduleSpin | cuda.ScheduleYield); codeOf(err) != cuda.ResultInvalidValue {
		t.Errorf("two ways to wait: %v", err)
	}
	ok(t, d.SetPrimaryContextFlags(before))
}
