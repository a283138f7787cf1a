//go:build cudasim

package cuda_test

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// kernelOf loads a module with a kernel that does nothing and a variable of 12 bytes.
func kernelOf(t *testing.T, d cuda.Device) (cuda.Module, cuda.Kernel) {
	t.Helper()
	sim.Kernel("idle", func(*sim.Launch) {})
	sim.Global("table", 12)
	m := must(d.LoadModule([]byte("image")))(t)
	return m, must(m.Kernel("idle"))(t)
}

// A block gets more than 48 KiB of shared memory only after the kernel's attribute is set, and never more than the device has.
func TestDynamicSharedMemory(t *testing.T) {
	sim.Reset(sim.Config{})
	d := cuda.Device(0)
	_, k := kernelOf(t, d)
	most := must(d.Attribute(cuda.MaxSharedPerBlockOptin))(t)
	if n := must(k.Attribute(cuda.KernelMaxDynamicBytes))(t); n != 48<<10 || most <= n {
		t.Fatalf("%d bytes at first, %d at most", n, most)
	}
	launch := func(bytes int) error { return k.Launch(cuda.Config{Shared: uint32(bytes)}) }
	ok(t, launch(48<<10))
	if err := launch(48<<10 + 1); codeOf(err) != cuda.ResultInvalidValue {
		t.Errorf("launch with more: %v", err)
	}
	ok(t, k.SetAttribute(cuda.KernelMaxDynamicBytes, most))
	ok(t, launch(most))
	for name, err := range map[string]error{
		"more than the device has": k.SetAttribute(cuda.KernelMaxDynamicBytes, most+1),
		"below zero":               k.SetAttribute(cuda.KernelMaxDynamicBytes, -1),
		"beyond 32 bits":           k.SetAttribute(cuda.KernelMaxDynamicBytes, math.MaxInt),
		"read-only":                k.SetAttribute(cuda.KernelRegisters, 8),
		"unknown":                  second(k.Attribute(1000)),
		"launch":                   launch(most + 1),
	} {
		if codeOf(err) != cuda.ResultInvalidValue {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := must(k.Attribute(cuda.KernelMaxDynamicBytes))(t); n != most {
		t.Errorf("%d bytes after refused calls", n)
	}
}

func TestOccupancy(t *testing.T) {
	sim.Reset(sim.Config{})
	d := cuda.Device(0)
	_, k := kernelOf(t, d)
	processors := must(d.Attribute(cuda.Multiprocessors))(t)
	for _, c := range []struct {
		threads int
		shared  int64
		want    int
	}{{1024, 0, 2}, {256, 0, 8}, {33, 0, 32}, {1, 0, 32}, {1025, 0, 0}, {64, 48 << 10, 4}, {64, 48<<10 + 1, 0}} {
		if n := must(k.MaxActiveBlocks(c.threads, c.shared))(t); n != c.want {
			t.Errorf("%d threads, %d bytes: %d blocks, want %d", c.threads, c.shared, n, c.want)
		}
	}
	grid, threads, err := k.MaxPotentialBlockSize(0, 0)
	if err != nil || threads != 1024 || grid != 2*processors {
		t.Errorf("%d blocks of %d threads, %v", grid, threads, err)
	}
	grid, threads, err = k.MaxPotentialBlockSize(0, 100)
	if err != nil || threads > 100 || grid != must(k.MaxActiveBlocks(threads, 0))(t)*processors {
		t.Errorf("at most 100: %d blocks of %d threads, %v", grid, threads, err)
	}
	for name, err := range map[string]error{
		"no threads": second(k.MaxActiveBlocks(0, 0)), "too many to count": second(k.MaxActiveBlocks(1<<40, 0)), "negative": second(k.MaxActiveBlocks(1, -1)),
		"negative limit": third(k.MaxPotentialBlockSize(0, -1)), "negative bytes": third(k.MaxPotentialBlockSize(-1, 0)),
	} {
		if codeOf(err) != cuda.ResultInvalidValue {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func third[A, B any](_ A, _ B, err error) error { return err }

// Each module has its own variables, which kernels and copies use until it is closed.
func TestGlobals(t *testing.T) {
	sim.Reset(sim.Config{Devices: 2})
	d := cuda.Device(0)
	m, _ := kernelOf(t, d)
	other, _ := kernelOf(t, d)
	sim.Kernel("sum", func(l *sim.Launch) {
		var words [12]byte
		l.Read(words[:], l.Uint64(0))
		sum := uint32(0)
		for i := 0; i < len(words); i += 4 {
			sum += binary.LittleEndian.Uint32(words[i:])
		}
		l.Write(l.Uint64(0), binary.LittleEndian.AppendUint32(nil, sum))
	})
	p, bytes, err := m.Global("table")
	again, _, _ := m.Global("table")
	apart, _, _ := other.Global("table")
	if err != nil || bytes != 12 || p != again || p == apart {
		t.Fatalf("%#x and %#x, of %d bytes; another module's is %#x; %v", p, again, bytes, apart, err)
	}
	ok(t, cuda.CopyToDevice(p, []uint32{1, 2, 3}))
	ok(t, must(m.Kernel("sum"))(t).Launch(cuda.Config{}, p))
	got := make([]uint32, 1)
	ok(t, cuda.CopyToHost(got, p))
	if got[0] != 6 {
		t.Errorf("the kernel saw %d", got[0])
	}
	if _, _, err := m.Global("missing"); codeOf(err) != cuda.ResultNotFound {
		t.Errorf("missing: %v", err)
	}
	if _, _, err := m.Global("a\x00b"); codeOf(err) != cuda.ResultInvalidValue {
		t.Errorf("zero byte: %v", err)
	}
	ok(t, m.Close())
	if err := cuda.CopyToHost(got, p); err == nil {
		t.Error("the variable of a closed module is read")
	}
	ok(t, cuda.CopyToHost(got, apart))
	ok(t, other.Close())
	for _, f := range sim.Findings() {
		t.Error(f)
	}
}

// Each function of the driver fails once, at each of the calls below: the error names it, nothing leaks, and the next call works.
func TestLaunchCallsFail(t *testing.T) {
	for function, call := range map[string]func(cuda.Stream, cuda.Graph, cuda.Module, cuda.Kernel, []byte) error{
		"GraphInstantiateWithFlags": func(s cuda.Stream, g cuda.Graph, _ cuda.Module, _ cuda.Kernel, _ []byte) error { return g.Launch(s) },
		"GraphLaunch":               func(s cuda.Stream, g cuda.Graph, _ cuda.Module, _ cuda.Kernel, _ []byte) error { return g.Launch(s) },
		"LaunchHostFunc": func(s cuda.Stream, _ cuda.Graph, _ cuda.Module, _ cuda.Kernel, _ []byte) error {
			return s.LaunchHostFunc(func() {})
		},
		"StreamIsCapturing": func(s cuda.Stream, _ cuda.Graph, _ cuda.Module, _ cuda.Kernel, _ []byte) error {
			return s.LaunchHostFunc(func() {})
		},
		"MemHostRegister": func(_ cuda.Stream, _ cuda.Graph, _ cuda.Module, _ cuda.Kernel, b []byte) error {
			if err := cuda.Device(0).RegisterHost(b); err != nil {
				return err
			}
			return cuda.Device(0).UnregisterHost(b)
		},
		"ModuleGetGlobal": func(_ cuda.Stream, _ cuda.Graph, m cuda.Module, _ cuda.Kernel, _ []byte) error {
			return third(m.Global("table"))
		},
		"FuncGetAttribute": func(_ cuda.Stream, _ cuda.Graph, _ cuda.Module, k cuda.Kernel, _ []byte) error {
			return second(k.Attribute(cuda.KernelRegisters))
		},
		"FuncSetAttribute": func(_ cuda.Stream, _ cuda.Graph, _ cuda.Module, k cuda.Kernel, _ []byte) error {
			return k.SetAttribute(cuda.KernelMaxDynamicBytes, 1024)
		},
		"OccupancyMaxActiveBlocksPerMultiprocessor": func(_ cuda.Stream, _ cuda.Graph, _ cuda.Module, k cuda.Kernel, _ []byte) error {
			return second(k.MaxActiveBlocks(32, 0))
		},
		"OccupancyMaxPotentialBlockSize": func(_ cuda.Stream, _ cuda.Graph, _ cuda.Module, k cuda.Kernel, _ []byte) error {
			return third(k.MaxPotentialBlockSize(0, 0))
		},
		"DevicePrimaryCtxSetFlags": func(cuda.Stream, cuda.Graph, cuda.Module, cuda.Kernel, []byte) error {
			return cuda.Device(0).SetPrimaryContextFlags(cuda.ScheduleAuto)
		},
		"DevicePrimaryCtxGetState": func(cuda.Stream, cuda.Graph, cuda.Module, cuda.Kernel, []byte) error {
			return third(cuda.Device(0).PrimaryContextState())
		},
	} {
		t.Run(function, func(t *testing.T) {
			sim.Reset(sim.Config{Schedule: 1})
			d := cuda.Device(0)
			s := must(d.NewStream(cuda.NonBlocking))(t)
			p := must(d.Alloc(8))(t)
			g := captured(t, s, p, 1)
			m, k := kernelOf(t, d)
			b := make([]byte, 64)
			sim.Fail("cu"+function, 1, 999)
			err := call(s, g, m, k, b)
			if e := new(cuda.Error); !errors.As(err, &e) || e.Op != function || e.Code != 999 {
				t.Errorf("failed: %v", err)
			}
			ok(t, call(s, g, m, k, b))
			sim.RemoveFunction("cu" + function)
			if err := call(s, g, m, k, b); !errors.Is(err, poolrt.ErrUnsupported) && function != "StreamIsCapturing" { // without that function there is no capture
				t.Errorf("missing: %v", err)
			}
			for _, err := range []error{s.Synchronize(), g.Close(), s.Close(), m.Close(), d.Free(p)} {
				ok(t, err)
			}
			for _, f := range sim.Findings() {
				t.Error(f)
			}
		})
	}
}

// Memory whose registration cannot be undone stays registered: the call can be repeated.
func TestUnregisterFails(t *testing.T) {
	sim.Reset(sim.Config{})
	d, b := cuda.Device(0), make([]byte, 64)
	ok(t, d.RegisterHost(b))
	sim.Fail("cuMemHostUnregister", 1, 999)
	if err := d.UnregisterHost(b); codeOf(err) != 999 {
		t.Errorf("failed: %v", err)
	}
	ok(t, d.UnregisterHost(b))
	for _, f := range sim.Findings() {
		t.Error(f)
	}
}
