//go:build linux && (amd64 || arm64) && (cgo || poolgen_purego)

package native

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/fake"
	"github.com/poolgen/poolgen/tests/fatal"
)

func TestLoad(t *testing.T) {
	d := inFake(t)
	if d == nil {
		return
	}
	if s := d.Load(); s.Result != abi.Success || filepath.Base(s.Path) != "libfake.so" || d.Path() != s.Path {
		t.Fatalf("status %+v, path %q", s, d.Path())
	}
	if v, r := d.DriverGetVersion(); v != 12040 || r != 0 {
		t.Errorf("version %d, %d", v, r)
	}
	if name := d.GetErrorName(2); name != "CUDA_ERROR_OUT_OF_MEMORY" {
		t.Errorf("name of 2: %q", name)
	}
	if name := d.GetErrorName(12345); name != "" {
		t.Errorf("name of 12345: %q", name)
	}
	if n, r := d.DeviceGetCount(); n != 2 || r != 0 {
		t.Errorf("count %d, %d", n, r)
	}
	if name, r := d.DeviceGetName(1); name != "Fake" || r != 0 {
		t.Errorf("name %q, %d", name, r)
	}
	if id, r := d.DeviceGetUUID(1); !bytes.Equal(id[:], bytes.Repeat([]byte{0x41}, 16)) || r != 0 {
		t.Errorf("uuid %x, %d", id, r)
	}
	if _, r := d.DeviceTotalMem(2); r != abi.InvalidDevice {
		t.Errorf("device 2: %d", r)
	}
}

func TestNoLibrary(t *testing.T) {
	if !fake.Inside(t) {
		again(t, filepath.Join(t.TempDir(), "nowhere.so"))
		return
	}
	d := Open()
	s := d.Load()
	if s.Result != abi.NoLibrary || !strings.Contains(s.Message, "nowhere.so") || d.Path() != "" {
		t.Errorf("status %+v", s)
	}
	if _, r := d.MemAlloc(1, 1); r != abi.NoLibrary {
		t.Errorf("MemAlloc: %d", r)
	}
	if d.Has("cuMemAlloc") {
		t.Error("has cuMemAlloc")
	}
}

func TestNotALibrary(t *testing.T) {
	if !fake.Inside(t) {
		path := filepath.Join(t.TempDir(), "text.so")
		fatal.If(t, os.WriteFile(path, []byte("text"), 0o600))
		again(t, path)
		return
	}
	if s := Open().Load(); s.Result != abi.NoLibrary || s.Message == "" {
		t.Errorf("status %+v", s)
	}
}

func TestRequiredFunctionMissing(t *testing.T) {
	d := inFake(t, "-DNO_STREAMS")
	if d == nil {
		return
	}
	if s := d.Load(); s.Result != abi.NoFunction || s.Message != "cuStreamCreateWithPriority" || filepath.Base(s.Path) != "libfake.so" {
		t.Errorf("status %+v", s)
	}
	if _, r := d.DeviceGetCount(); r != abi.NoFunction {
		t.Errorf("DeviceGetCount: %d", r)
	}
}

func TestOptionalFunctionMissing(t *testing.T) {
	d := inFake(t, "-DNO_POOLS")
	if d == nil {
		return
	}
	if s := d.Load(); s.Result != abi.Success {
		t.Fatalf("status %+v", s)
	}
	ctx, _ := d.DevicePrimaryCtxRetain(0)
	if _, r := d.MemPoolCreate(abi.PoolProps{}); r != abi.NoFunction || d.Has("cuMemPoolCreate") {
		t.Errorf("MemPoolCreate: %d", r)
	}
	if _, r := d.MemAllocAsync(ctx, 1, 0); r != abi.NoFunction {
		t.Errorf("MemAllocAsync: %d", r)
	}
	if _, r := d.StreamGetID(ctx, 0); r != abi.NoFunction {
		t.Errorf("StreamGetID: %d", r)
	}
	if _, r := d.StreamEndCapture(ctx, 1); r != abi.NoFunction {
		t.Errorf("StreamEndCapture: %d", r)
	}
	if _, r := d.MemAlloc(ctx, 1); r != abi.Success || !d.Has("cuMemAlloc") || d.Has("cuMemAlloc_v2") || d.Has("") {
		t.Errorf("MemAlloc: %d", r)
	}
}

func TestInitFails(t *testing.T) {
	for _, code := range []abi.Result{abi.StubLibrary, abi.DeviceUnavailable, abi.NoDevice, abi.InvalidDevice, abi.OperatingSystem,
		abi.SystemNotReady, abi.SystemDriverMismatch, abi.CompatNotSupported, abi.Unknown} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			t.Setenv("FAKE_INIT", fmt.Sprint(int(code)))
			d := inFake(t)
			if d == nil {
				return
			}
			s := d.Load()
			if s.Result != code || s.Message != "the fake's words" || filepath.Base(s.Path) != "libfake.so" {
				t.Errorf("status %+v", s)
			}
			if _, r := d.DeviceGetCount(); r != code {
				t.Errorf("DeviceGetCount: %d", r)
			}
		})
	}
}

func TestNothingOfTheDriverIsLinked(t *testing.T) {
	f, err := elf.Open(os.Args[0])
	fatal.If(t, err)
	defer f.Close()
	libraries, err := f.ImportedLibraries()
	if err != nil {
		t.Skipf("not linked dynamically: %v", err)
	}
	for _, l := range libraries {
		if strings.Contains(l, "cuda") {
			t.Errorf("needs %s", l)
		}
	}
	symbols, err := f.ImportedSymbols()
	fatal.If(t, err)
	for _, s := range symbols {
		if strings.HasPrefix(s.Name, "cu") {
			t.Errorf("wants the symbol %s", s.Name)
		}
	}
}
