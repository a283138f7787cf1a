//go:build !cudasim

package cuda_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/internal/fake"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// again runs the test in a process of its own, with path as the driver's library: a process looks for the library only once.
func again(t *testing.T, path string) (inside bool) {
	t.Helper()
	if fake.Inside(t) {
		return true
	}
	fake.Again(t, "POOLGEN_CUDA_LIBRARY="+path)
	return false
}

func TestWithoutDriver(t *testing.T) {
	if !again(t, filepath.Join(t.TempDir(), "nowhere.so")) {
		return
	}
	d, s, b := cuda.Device(0), cuda.Stream{}, make([]byte, 8)
	for name, call := range calls(d, s, b) {
		err := call()
		if e := new(cuda.Error); !errors.As(err, &e) || !errors.Is(err, poolrt.ErrNoDriver) || errors.Is(err, poolrt.ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		} else if text := err.Error(); e.Code == cuda.ResultNoLibrary && (!strings.HasPrefix(text, "cuda: no driver: "+os.Getenv("POOLGEN_CUDA_LIBRARY")) ||
			!strings.HasSuffix(text, "; POOLGEN_CUDA_LIBRARY names it: unset the variable, or set it to the driver's library") || len(text) > 250) {
			t.Errorf("%s does not say in short which library, why and what to do: %v", name, err)
		}
	}
	if cuda.LibraryPath() != "" || cuda.Has("cuInit") {
		t.Errorf("there is a library: %q", cuda.LibraryPath())
	}
	if text := cuda.ResultOutOfMemory.String(); text != "result 2" {
		t.Errorf("result 2 is %q", text)
	}
}

// calls has one call of each function that needs a driver.
func calls(d cuda.Device, s cuda.Stream, b []byte) map[string]func() error {
	return map[string]func() error{
		"Probe":             cuda.Probe,
		"DriverVersion":     func() error { return second(cuda.DriverVersion()) },
		"Devices":           func() error { return second(cuda.Devices()) },
		"CurrentDevice":     func() error { return second(cuda.CurrentDevice()) },
		"Name":              func() error { return second(d.Name()) },
		"UUID":              func() error { return second(d.UUID()) },
		"TotalMemory":       func() error { return second(d.TotalMemory()) },
		"MemInfo":           func() error { _, _, err := d.MemInfo(); return err },
		"Attribute":         func() error { return second(d.Attribute(cuda.MemPoolsSupported)) },
		"ComputeCapability": func() error { _, _, err := d.ComputeCapability(); return err },
		"Synchronize":       d.Synchronize,
		"PrimaryContext":    func() error { return second(d.PrimaryContext()) },
		"CanAccess":         func() error { return second(d.CanAccess(1)) },
		"EnableAccess":      func() error { return d.EnableAccess(1) },
		"Alloc":             func() error { return second(d.Alloc(8)) },
		"Free":              func() error { return d.Free(8) },
		"AllocHost":         func() error { return second(d.AllocHost(8, 0)) },
		"FreeHost":          func() error { return d.FreeHost(b) },
		"AllocManaged":      func() error { return second(d.AllocManaged(8)) },
		"HostAddress":       func() error { return second(d.HostAddress(b)) },
		"CopyToDevice":      func() error { return cuda.CopyToDevice(8, b) },
		"CopyToHost":        func() error { return cuda.CopyToHost(b, 8) },
		"CopyDevice":        func() error { return cuda.CopyDevice(8, 16, 8) },
		"CopyToDeviceAsync": func() error { return cuda.CopyToDeviceAsync(8, b, s) },
		"CopyToHostAsync":   func() error { return cuda.CopyToHostAsync(b, 8, s) },
		"CopyDeviceAsync":   func() error { return cuda.CopyDeviceAsync(8, 16, 8, s) },
		"CopyPeer":          func() error { return cuda.CopyPeer(8, 0, 16, 1, 8, s) },
		"Memset":            func() error { return cuda.Memset(8, 0, 8) },
		"MemsetAsync":       func() error { return cuda.MemsetAsync(8, 0, 8, s) },
		"NewStream":         func() error { return second(d.NewStream()) },
		"DefaultStream":     func() error { return second(d.DefaultStream()) },
		"AdoptStream":       func() error { return second(cuda.AdoptStream(99)) },
		"StreamOf":          func() error { return second(cuda.StreamOf(d, 99)) },
		"StreamOf default":  func() error { return second(cuda.StreamOf(d, 0)) },
		"Query":             func() error { return second(s.Query()) },
		"Wait":              func() error { return s.Wait(cuda.Event{}) },
		"NewEvent":          func() error { return second(d.NewEvent()) },
		"event":             func() error { return cuda.Event{}.Record(s) },
		"IsCapturing":       func() error { return second(s.IsCapturing()) },
		"BeginCapture":      s.BeginCapture,
		"EndCapture":        func() error { return second(s.EndCapture()) },
		"Launch a graph":    func() error { return cuda.Graph{}.Launch(s) },
		"Instantiate":       func() error { return second(cuda.Graph{}.Instantiate()) },
		"launch many times": func() error { return cuda.GraphExec{}.Launch(s) },
		"close a GraphExec": cuda.GraphExec{}.Close,
		"LaunchHostFunc":    func() error { return s.LaunchHostFunc(func() {}) },
		"RegisterHost":      func() error { return d.RegisterHost(b) },
		"UnregisterHost":    func() error { return d.UnregisterHost(b) },
		"typed copy":        func() error { return cuda.CopyToDevice(8, []float32{1}) },
		"Global":            func() error { _, _, err := cuda.Module{}.Global("x"); return err },
		"kernel attribute":  func() error { return second(cuda.Kernel{}.Attribute(cuda.KernelRegisters)) },
		"SetAttribute":      func() error { return cuda.Kernel{}.SetAttribute(cuda.KernelMaxDynamicBytes, 1) },
		"MaxActiveBlocks":   func() error { return second(cuda.Kernel{}.MaxActiveBlocks(1, 0)) },
		"block size":        func() error { _, _, err := cuda.Kernel{}.MaxPotentialBlockSize(0, 0); return err },
		"context flags":     func() error { return d.SetPrimaryContextFlags(cuda.ScheduleSpin) },
		"context state":     func() error { _, _, err := d.PrimaryContextState(); return err },
		"NewMemPool":        func() error { return second(d.NewMemPool(cuda.MemPoolProps{})) },
		"DefaultMemPool":    func() error { return second(d.DefaultMemPool()) },
		"CurrentMemPool":    func() error { return second(d.CurrentMemPool()) },
		"AllocAsync":        func() error { return second(cuda.AllocAsync(8, s)) },
		"FreeAsync":         func() error { return cuda.FreeAsync(8, s) },
		"MemPool":           func() error { return second(cuda.MemPool{}.Stats()) },
		"Export":            func() error { return second(cuda.MemPool{}.Export()) },
		"Granularity":       func() error { _, _, err := d.Granularity(cuda.MemoryProps{}); return err },
		"NewMemory":         func() error { return second(d.NewMemory(8, cuda.MemoryProps{})) },
		"ReserveAddresses":  func() error { return second(cuda.ReserveAddresses(8, 0)) },
		"SetAccess":         func() error { return cuda.SetAccess(8, 8, d, cuda.ReadWrite) },
		"NewSparseArray":    func() error { return second(d.NewSparseArray(cuda.SparseDesc{})) },
		"ReadAsync":         func() error { return cuda.SparseArray{}.ReadAsync(nil, 0, 0, 1, 1, s) },
		"LoadModule":        func() error { return second(d.LoadModule([]byte("x"))) },
		"Launch":            func() error { return cuda.Kernel{}.Launch(cuda.Config{}) },
	}
}

func TestReasonsForNoDriver(t *testing.T) {
	for name, c := range map[string]struct{ code, says string }{
		"stub":      {"34", "stub for linking"},
		"exclusive": {"46", "exclusive mode"},
		"no device": {"100", "CUDA_VISIBLE_DEVICES"},
		"bad":       {"101", "no device of that number"},
		"os":        {"304", "permission"},
		"not ready": {"802", "fabric manager"},
		"mismatch":  {"803", "different versions"},
		"compat":    {"804", "forward compatibility"},
		"unknown":   {"999", "kernel module"},
		"other":     {"998", "the fake's words"},
		"too old":   {"", "has no cuStreamCreateWithPriority; the driver is too old: update it, or it is none: POOLGEN_CUDA_LIBRARY names it"},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			path := ""
			switch {
			case fake.Inside(t):
			case c.code == "":
				path = fake.Library(t, "internal/native/testdata/fake.c", "-DNO_STREAMS")
			default:
				t.Setenv("FAKE_INIT", c.code)
				path = fake.Library(t, "internal/native/testdata/fake.c")
			}
			if !again(t, path) {
				return
			}
			err := cuda.Probe()
			if e := new(cuda.Error); errors.As(err, &e) && e.Code == cuda.ResultNoCgo {
				return // this test binary has no cgo: every error then has the same reason
			}
			if !errors.Is(err, poolrt.ErrNoDriver) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "libfake.so") {
				t.Errorf("Probe: %v", err)
			}
			if _, err := cuda.Device(0).Alloc(1); !errors.Is(err, poolrt.ErrNoDriver) {
				t.Errorf("Alloc: %v", err)
			}
		})
	}
}
