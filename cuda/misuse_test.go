//go:build cudasim

package cuda_test

import (
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// An event can be recorded on streams of its own device only. The default streams of all devices have the same handle, which the driver would take
// for that of the event's device.
func TestEventRefusesStreamsOfOtherDevices(t *testing.T) {
	sim.Reset(sim.Config{Devices: 2})
	e := must(cuda.Device(0).NewEvent())(t)
	for name, s := range map[string]cuda.Stream{
		"default": must(cuda.Device(1).DefaultStream())(t),
		"other":   must(cuda.Device(1).NewStream(cuda.NonBlocking))(t),
	} {
		if err := e.Record(s); codeOf(err) != cuda.ResultInvalidHandle {
			t.Errorf("%s: %v", name, err)
		}
		ok(t, s.Wait(e)) // any stream may wait for it
	}
	ok(t, e.Record(must(cuda.Device(0).DefaultStream())(t)))
}

// A copy without a stream is made in the context of the device that has the memory. If the driver does not say which that is, nothing is copied.
func TestCopyToUnknownDevice(t *testing.T) {
	sim.Reset(sim.Config{Devices: 2})
	p := must(cuda.Device(1).Alloc(16))(t)
	for name, copies := range map[string]func() error{
		"Memset":       func() error { return cuda.Memset(p, 0, 16) },
		"CopyToDevice": func() error { return cuda.CopyToDevice(p, []byte{1}) },
		"CopyToHost":   func() error { return cuda.CopyToHost(make([]byte, 1), p) },
		"CopyDevice":   func() error { return cuda.CopyDevice(p, p.Add(8), 8) },
	} {
		sim.Fail("cuPointerGetAttribute", 1, int(cuda.ResultIllegalAddress))
		if err := copies(); codeOf(err) != cuda.ResultIllegalAddress {
			t.Errorf("%s: %v", name, err)
		}
	}
	ok(t, cuda.Device(1).Free(p))
}

var kinds = []cuda.Kind{cuda.PinnedMemory{}, cuda.DeviceMemory{}, cuda.AsyncMemory{}, cuda.PoolMemory{}, cuda.VirtualMemory{}}

// On a driver that does not know the attribute of an allocator, the allocator is not supported, and a fallback replaces it.
func TestUnknownAttribute(t *testing.T) {
	sim.Reset(sim.Config{Devices: 1})
	for _, name := range []string{"device_pool", "device_virtual"} {
		sim.Fail("cuDeviceGetAttribute", 1, int(cuda.ResultInvalidValue))
		b := bound(t, cuda.Allocator{Kinds: kinds, Name: name, Fallback: []string{"device"}})
		if b.Allocator != "device" {
			t.Errorf("%s: %s: %s", name, b.Allocator, b.Reason)
		}
		ok(t, b.Close())
	}
}

// An unsupported operation is distinguished from a failed one: only the former allows a fallback.
func TestPeerAccessUnsupported(t *testing.T) {
	sim.Reset(sim.Config{Devices: 2, NoPeers: true})
	if err := cuda.Device(0).EnableAccess(1); !errors.Is(err, poolrt.ErrUnsupported) {
		t.Errorf("access: %v", err)
	}
	for _, name := range []string{"device", "device_async", "device_pool", "device_virtual"} {
		b := bound(t, cuda.Allocator{Kinds: kinds, Name: name, Fallback: []string{"pinned"}, Peers: []int{0, 1}, Pool: &cuda.PoolSettings{Custom: name == "device_pool"}})
		if want := name + ": "; b.Allocator != "pinned" || !strings.HasPrefix(b.Reason, want) || !strings.Contains(b.Reason, "device 1 cannot access the memory of device 0") {
			t.Errorf("%s: %s: %s", name, b.Allocator, b.Reason)
		}
		ok(t, b.Close())
	}
	_, err := cuda.Allocator{Name: "device", Kinds: []cuda.Kind{cuda.DeviceMemory{}}, Peers: []int{9}}.Bind(poolimpl.Binding{Device: poolimpl.NoDevice})
	if !errors.Is(err, poolrt.ErrUnsupported) || !strings.Contains(err.Error(), "no device 9") {
		t.Errorf("access for a device that does not exist: %v", err)
	}
	for _, f := range sim.Findings() {
		t.Error(f)
	}
}

// peers: where_possible gives access to all devices that can have it, and binds the pool where none can.
func TestPeersWherePossible(t *testing.T) {
	for _, none := range []bool{false, true} {
		for _, name := range []string{"device", "device_async", "device_pool", "device_virtual"} {
			sim.Reset(sim.Config{Devices: 3, NoPeers: none})
			b := bound(t, cuda.Allocator{Kinds: kinds, Name: name, Fallback: []string{"pinned"}, Device: 1, AllPeers: true, Pool: &cuda.PoolSettings{Custom: name == "device_pool"}})
			if b.Allocator != name {
				t.Errorf("%s: %s: %s", name, b.Allocator, b.Reason)
			}
			c := must(b.Source.Alloc(2<<20, 256))(t)
			for _, d := range []cuda.Device{0, 1, 2} {
				s := must(d.NewStream(cuda.NonBlocking))(t)
				err := cuda.MemsetAsync(cuda.DevicePtr(c.Addr), 1, 8, s)
				if reaches := d == 1 || !none; (err == nil) != reaches && name != "device" { // the simulator does not need access for plain memory here
					t.Errorf("%s: %v writes to memory of device 1, want %v: %v", name, d, reaches, err)
				}
				ok(t, s.Synchronize())
				ok(t, s.Close())
			}
			if n := sim.Calls("cuCtxEnablePeerAccess"); name == "device" && (n == 2) == none {
				t.Errorf("%d devices got access", n)
			}
			ok(t, b.Source.Free(c))
			ok(t, b.Close())
		}
	}
}

// Numbers that do not fit in the driver's structs are refused: their lower halves would name another place.
func TestSparseArrayRefusesNumbersOutOfRange(t *testing.T) {
	sim.Reset(sim.Config{})
	d := cuda.Device(0)
	a := must(d.NewSparseArray(cuda.SparseDesc{Width: 1024, Height: 1024, Format: cuda.Uint8, Channels: 1}))(t)
	m := must(d.NewMemory(2<<20, cuda.MemoryProps{TilePool: true}))(t)
	s := must(d.NewStream(cuda.NonBlocking))(t)
	good := cuda.Binding{Memory: m, Width: 256, Height: 256, Depth: 1}
	ok(t, a.Bind(s, good))
	const wraps = 1 << 32
	for name, change := range map[string]func(*cuda.Binding){
		"x": func(b *cuda.Binding) { b.X = wraps }, "y": func(b *cuda.Binding) { b.Y = wraps }, "z": func(b *cuda.Binding) { b.Z = -wraps },
		"width": func(b *cuda.Binding) { b.Width += wraps }, "height": func(b *cuda.Binding) { b.Height += wraps }, "depth": func(b *cuda.Binding) { b.Depth -= wraps },
		"level": func(b *cuda.Binding) { b.Level = wraps }, "layer": func(b *cuda.Binding) { b.Layer = -wraps }, "offset": func(b *cuda.Binding) { b.Offset = -cuda.TileBytes },
		"left": func(b *cuda.Binding) { b.X = -256 },
	} {
		bad := good
		if change(&bad); codeOf(a.Bind(s, bad)) != cuda.ResultInvalidValue {
			t.Errorf("%s: %+v is bound", name, bad)
		}
	}
	for name, desc := range map[string]cuda.SparseDesc{
		"channels": {Width: 256, Height: 256, Format: cuda.Uint8, Channels: wraps + 1},
		"levels":   {Width: 256, Height: 256, Format: cuda.Uint8, Channels: 1, Levels: wraps + 2},
	} {
		if _, err := d.NewSparseArray(desc); codeOf(err) != cuda.ResultInvalidValue {
			t.Errorf("%s: %v", name, err)
		}
	}
	b := make([]byte, 8)
	for name, err := range map[string]error{
		"left":             a.Write(-1, 0, 8, 1, b),
		"above":            a.Read(b, 0, -1, 8, 1),
		"left, queued":     a.WriteAsync(-1, 0, 8, 1, b, s),
		"above, queued":    a.ReadAsync(b, 0, -1, 8, 1, s),
		"height wraps":     a.Write(0, 0, 4, 1<<62+2, b), // 4 times that is 8 again
		"width wraps":      a.Write(0, 0, math.MaxInt, 1, b),
		"nothing":          a.Write(0, 0, 0, 0, nil),
		"another size":     a.Write(0, 0, 3, 2, b),
		"beyond the array": a.Write(1020, 0, 8, 1, b),
	} {
		if codeOf(err) != cuda.ResultInvalidValue {
			t.Errorf("%s: %v", name, err)
		}
	}
	ok(t, errors.Join(s.Synchronize(), s.Close(), a.Close(), m.Close()))
}

// Files that nothing can be imported from are refused; a closed or missing file is a different error.
func TestImportOfBadFiles(t *testing.T) {
	sim.Reset(sim.Config{})
	closed, other, err := os.Pipe()
	ok(t, errors.Join(err, closed.Close(), other.Close()))
	pipe, end, err := os.Pipe()
	ok(t, err)
	for name, f := range map[string]*os.File{"nil": nil, "closed": closed, "pipe": pipe} {
		for what, err := range map[string]error{"pool": second(cuda.Device(0).ImportMemPool(f)), "memory": second(cuda.Device(0).ImportMemory(f, 2<<20))} {
			if codeOf(err) != cuda.ResultInvalidValue || errors.Is(err, poolrt.ErrBadFile) != (f != pipe) {
				t.Errorf("%s from %s: %v", what, name, err)
			}
		}
	}
	ok(t, errors.Join(pipe.Close(), end.Close()))
}
