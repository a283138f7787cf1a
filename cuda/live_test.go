package cuda_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// The tests of this file run on any machine with a device: a real one, or the simulator with the tag cudasim. They take some MiB of its memory.

const someBytes = 1 << 20

// device0 returns the first device, or skips with the reason that Probe gives.
func device0(t *testing.T) cuda.Device {
	t.Helper()
	if err := cuda.Probe(); err != nil {
		if !errors.Is(err, poolrt.ErrNoDriver) {
			t.Fatalf("Probe: %v does not match ErrNoDriver", err)
		}
		t.Skipf("no device: %v", err)
	}
	return 0
}

// must returns v, or ends the test.
func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		ok(t, err)
		return v
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// needs skips if the device cannot do something.
func needs(t *testing.T, d cuda.Device, a cuda.Attribute, what string) {
	t.Helper()
	if must(d.Attribute(a))(t) == 0 {
		t.Skipf("%v has no %s", d, what)
	}
}

func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8)
	}
	return b
}

func TestDevices(t *testing.T) {
	d := device0(t)
	all := must(cuda.Devices())(t)
	if len(all) == 0 || all[0] != d {
		t.Fatalf("Devices = %v", all)
	}
	name := must(d.Name())(t)
	id := must(d.UUID())(t)
	total := must(d.TotalMemory())(t)
	major, minor, err := d.ComputeCapability()
	ok(t, err)
	free, seen, err := d.MemInfo()
	ok(t, err)
	version := must(cuda.DriverVersion())(t)
	t.Logf("%s, %x, %d bytes (%d free), compute capability %d.%d, driver %d in %s", name, id, total, free, major, minor, version, cuda.LibraryPath())
	if name == "" || total <= 0 || free <= 0 || free > seen || major < 3 || version < 10000 || cuda.LibraryPath() == "" {
		t.Error("figures make no sense")
	}
	if must(d.Attribute(99999))(t) != 0 {
		t.Error("an unknown attribute is not 0")
	}
	if _, err := cuda.Device(200).Name(); err == nil {
		t.Error("device 200 has a name")
	}
	for _, bad := range []cuda.Device{-1, 200, 1 << 30} {
		if _, err := bad.Alloc(16); err == nil || errors.Is(err, poolrt.ErrNoDriver) {
			t.Errorf("Alloc on %v: %v", bad, err)
		}
	}
}

func TestAllocAndCopy(t *testing.T) {
	d := device0(t)
	p := must(d.Alloc(2 * someBytes))(t)
	want, got := pattern(someBytes), make([]byte, someBytes)
	ok(t, cuda.CopyToDevice(p, want))
	ok(t, cuda.CopyDevice(p.Add(someBytes), p, someBytes))
	ok(t, cuda.CopyToHost(got, p.Add(someBytes)))
	if !bytes.Equal(got, want) {
		t.Error("the copy differs")
	}
	ok(t, cuda.Memset(p, 0xA5, someBytes))
	ok(t, cuda.CopyToHost(got, p))
	if !bytes.Equal(got, bytes.Repeat([]byte{0xA5}, someBytes)) {
		t.Error("Memset differs")
	}
	ok(t, d.Free(p))
	ok(t, d.Free(0))
}

func TestWrongArgumentsAreRefused(t *testing.T) {
	d := device0(t)
	free, total, err := d.MemInfo()
	ok(t, err)
	_, err = d.Alloc(total * 2)
	if !errors.Is(err, poolrt.ErrOutOfMemory) {
		t.Errorf("%d bytes of %d free: %v", total*2, free, err)
	}
	if e := new(cuda.Error); !errors.As(err, &e) || e.Bytes != total*2 || e.Device != d || !strings.Contains(err.Error(), "CUDA_ERROR_OUT_OF_MEMORY") {
		t.Errorf("error says %v", err)
	}
	for name, err := range map[string]error{
		"zero bytes":        second(d.Alloc(0)),
		"negative":          second(d.AllocHost(-1, 0)),
		"negative copy":     cuda.CopyDevice(1, 2, -1),
		"read-only":         cuda.MemPool{}.SetAttribute(cuda.UsedCurrent, 1),
		"a peak to 1":       cuda.MemPool{}.SetAttribute(cuda.UsedHigh, 1),
		"the default":       cuda.Stream{}.Close(),
		"no image":          second(d.LoadModule(nil)),
		"per-thread stream": second(cuda.AdoptStream(2)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// codeOf returns the driver's result in an error, 0 if there is none.
func codeOf(err error) cuda.Result {
	e := new(cuda.Error)
	errors.As(err, &e)
	return e.Code
}

func second[T any](_ T, err error) error { return err }

func TestHostMemory(t *testing.T) {
	d := device0(t)
	b := must(d.AllocHost(someBytes, 0))(t)
	copy(b, pattern(someBytes))
	p := must(d.Alloc(someBytes))(t)
	s := must(d.NewStream(cuda.NonBlocking))(t)
	ok(t, cuda.CopyToDeviceAsync(p, b, s))
	got := make([]byte, someBytes) // not page-locked: the copy waits
	ok(t, cuda.CopyToHostAsync(got, p, s))
	if !bytes.Equal(got, b) {
		t.Error("the copy differs")
	}
	at := must(d.HostAddress(b))(t)
	ok(t, cuda.MemsetAsync(at, 9, 16, s))
	ok(t, s.Synchronize())
	if b[15] != 9 || b[16] == 9 {
		t.Error("the device does not write what the host reads")
	}
	ok(t, s.Close())
	ok(t, d.Free(p))
	ok(t, d.FreeHost(b))
}

func TestManagedMemory(t *testing.T) {
	d := device0(t)
	needs(t, d, cuda.ManagedMemorySupported, "managed memory")
	b := must(d.AllocManaged(someBytes))(t)
	copy(b, pattern(someBytes))
	ok(t, cuda.Memset(cuda.AddressOf(b), 3, 100))
	ok(t, d.Synchronize())
	if b[99] != 3 || b[100] != pattern(someBytes)[100] {
		t.Error("host and device disagree")
	}
	ok(t, d.FreeManaged(b))
}

func TestStreamsAndEvents(t *testing.T) {
	d := device0(t)
	a := must(d.NewStream(cuda.NonBlocking))(t)
	b := must(d.NewStream(cuda.NonBlocking, cuda.WithPriority(-1)))(t)
	if a.ID() == b.ID() || a == b || a.Device() != d || a.Handle() == 0 {
		t.Errorf("streams %v, %v", a, b)
	}
	begin := must(d.NewEvent(cuda.Timing))(t)
	end := must(d.NewEvent(cuda.Timing, cuda.BlockingSync))(t)
	p := must(d.Alloc(someBytes))(t)
	got := must(d.AllocHost(someBytes, 0))(t)
	ok(t, begin.Record(a))
	for range 200 {
		ok(t, cuda.MemsetAsync(p, 1, someBytes, a))
	}
	ok(t, cuda.MemsetAsync(p, 2, someBytes, a))
	ok(t, end.Record(a))
	ok(t, b.Wait(end))
	ok(t, cuda.CopyToHostAsync(got, p, b))
	ok(t, b.Synchronize())
	if done := must(end.Query())(t); !done {
		t.Error("b did not wait for the event")
	}
	if !bytes.Equal(got, bytes.Repeat([]byte{2}, someBytes)) {
		t.Error("b ran before a")
	}
	if done := must(a.Query())(t); !done {
		t.Error("a is not done")
	}
	if took := must(begin.Elapsed(end))(t); took < 0 || took > time.Minute {
		t.Errorf("took %v", took)
	}
	again := must(cuda.AdoptStream(a.Handle()))(t)
	if again != a {
		t.Errorf("adopted %v, made %v", again, a)
	}
	for _, err := range []error{begin.Close(), end.Close(), a.Close(), b.Close(), d.Free(p), d.FreeHost(got)} {
		ok(t, err)
	}
}

func TestDefaultStream(t *testing.T) {
	d := device0(t)
	if s := must(d.DefaultStream())(t); s != (cuda.Stream{}) {
		t.Errorf("the default stream of device 0 is %v", s)
	}
	ok(t, cuda.Stream{}.Synchronize())
	if s := must(cuda.AdoptStream(0))(t); s != (cuda.Stream{}) {
		t.Errorf("handle 0 is %v", s)
	}
}

func TestCapture(t *testing.T) {
	d := device0(t)
	s := must(d.NewStream(cuda.NonBlocking))(t)
	p := must(d.Alloc(someBytes))(t)
	ok(t, cuda.MemsetAsync(p, 0, someBytes, s))
	ok(t, s.Synchronize())
	ok(t, s.BeginCapture())
	if capturing := must(s.IsCapturing())(t); !capturing {
		t.Error("is not capturing")
	}
	ok(t, cuda.MemsetAsync(p, 7, someBytes, s))
	if err := cuda.CopyToDeviceAsync(p, make([]byte, 8), s); err == nil {
		t.Error("memory of the Go heap was captured")
	}
	g := must(s.EndCapture())(t)
	got := make([]byte, someBytes)
	ok(t, cuda.CopyToHost(got, p))
	if got[0] != 0 {
		t.Error("capturing did the work")
	}
	ok(t, g.Launch(s))
	ok(t, s.Synchronize())
	ok(t, cuda.CopyToHost(got, p))
	if got[0] != 7 || got[someBytes-1] != 7 {
		t.Error("launching did not")
	}
	for _, err := range []error{g.Close(), s.Close(), d.Free(p)} {
		ok(t, err)
	}
}
