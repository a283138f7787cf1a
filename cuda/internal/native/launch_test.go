//go:build linux && (amd64 || arm64) && (cgo || poolgen_purego)

package native

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/fake"
)

// The fake calls host functions on threads that Go has not made. Each function is called once, and none is kept.
func TestHostFunctions(t *testing.T) {
	d := inFake(t)
	if d == nil {
		return
	}
	ctx, _ := d.DevicePrimaryCtxRetain(0)
	var calls atomic.Int64
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 50 {
				if r := d.LaunchHostFunc(ctx, 1, func() { calls.Add(1); runtime.Gosched() }); r != abi.Success {
					t.Error(r)
				}
			}
		})
	}
	all.Wait()
	if r := d.LaunchHostFunc(ctx, 1, runtime.Goexit); r != abi.Success {
		t.Error(r)
	}
	if r := d.LaunchHostFunc(ctx, 13, func() { calls.Add(1) }); r != 999 {
		t.Errorf("refused: %d", r)
	}
	if r := d.LaunchHostFunc(ctx, 1, nil); r != abi.InvalidValue {
		t.Errorf("nil: %d", r)
	}
	if n := calls.Load(); n != 800 || len(hostFuncs.calls) != 0 {
		t.Errorf("%d calls, %d functions are kept", n, len(hostFuncs.calls))
	}
	callHostFunc(1) // called already: nothing happens
}

// A panic in a host function ends the program, and shows the function.
func TestHostFunctionPanics(t *testing.T) {
	const inside = "POOLGEN_TEST_PANIC"
	if os.Getenv(inside) != "" {
		d := Open()
		ctx, _ := d.DevicePrimaryCtxRetain(0)
		d.LaunchHostFunc(ctx, 1, func() { panic("in a host function") })
		return
	}
	c := exec.Command(os.Args[0], "-test.run=^TestHostFunctionPanics$")
	c.Env = append(os.Environ(), inside+"=1", "POOLGEN_CUDA_LIBRARY="+fake.Library(t, "testdata/fake.c"))
	out, err := c.CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("panic: in a host function")) || !bytes.Contains(out, []byte("TestHostFunctionPanics.func")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// Arguments and results reach the functions of the driver, each in the context.
func TestCallsForKernels(t *testing.T) {
	d := inFake(t)
	if d == nil {
		return
	}
	ctx, _ := d.DevicePrimaryCtxRetain(1)
	for name, f := range map[string]func() bool{
		"flags": func() bool {
			set := d.DevicePrimaryCtxSetFlags(1, 4)
			flags, active, r := d.DevicePrimaryCtxGetState(1)
			return set == abi.Success && flags == 4 && active && r == abi.Success
		},
		"no such device": func() bool { return d.DevicePrimaryCtxSetFlags(9, 4) == abi.InvalidDevice },
		"register": func() bool {
			return d.MemHostRegister(ctx, unsafe.Pointer(&[64]byte{}), 64, abi.HostPortable|abi.HostDeviceMap) == abi.Success
		},
		"unregister": func() bool { return d.MemHostUnregister(ctx, unsafe.Pointer(&[64]byte{})) == abi.HostNotRegistered },
		"graph": func() bool {
			e, r := d.GraphInstantiate(ctx, 0x400)
			return e == 0x401 && r == abi.Success && d.GraphLaunch(ctx, e, 0) == abi.Success && d.GraphExecDestroy(ctx, e) == abi.Success
		},
		"capture": func() bool {
			nodes := make([]abi.GraphNode, 2)
			c, r := d.StreamGetCaptureInfo(ctx, 9, nodes)
			short, also := d.StreamGetCaptureInfo(ctx, 9, nil)
			return r == abi.Success && c == abi.CaptureInfo{Status: abi.CaptureActive, ID: 5, Nodes: 2, Ordered: 1} && nodes[0] == 0x72 && nodes[1] == 0x71 &&
				also == abi.Success && short.Nodes == 2 && short.Ordered == 0
		},
		"capture behind one node": func() bool {
			early, r := d.StreamGetCaptureInfo(ctx, 10, nil)
			late, also := d.StreamGetCaptureInfo(ctx, 11, nil)
			return r == abi.Success && early == abi.CaptureInfo{Status: abi.CaptureActive, ID: 5, Nodes: 1, First: 0x71} &&
				also == abi.Success && late == abi.CaptureInfo{Status: abi.CaptureActive, ID: 5, Nodes: 1, Ordered: 1, First: 0x72}
		},
		"no capture": func() bool {
			c, r := d.StreamGetCaptureInfo(ctx, 8, nil)
			return r == abi.Success && c.Status == abi.CaptureNone
		},
		"dependencies": func() bool {
			nodes := make([]abi.GraphNode, 100)
			n, full, r := d.GraphNodeGetDependencies(0x70, nodes)
			least, short, also := d.GraphNodeGetDependencies(0x70, nodes[:2])
			_, _, none := d.GraphNodeGetDependencies(0x71, nodes)
			return r == abi.Success && full && n == 2 && nodes[0] == 0x72 && nodes[1] == 0x73 && also == abi.Success && !short && least >= 3 && none == abi.InvalidHandle
		},
		"objects": func() bool {
			return owns(d, func(o abi.UserObject) abi.Result { return d.GraphRetainUserObject(0x400, o) }) &&
				owns(d, func(o abi.UserObject) abi.Result { return d.UserObjectRelease(o) })
		},
		"global": func() bool {
			p, n, r := d.ModuleGetGlobal(ctx, 1, "table")
			return p == 1<<40 && n == 5 && r == abi.Success
		},
		"attributes": func() bool {
			set := d.FuncSetAttribute(ctx, 1, abi.FuncPreferredSharedCarveout, -1)
			v, r := d.FuncGetAttribute(ctx, 1, abi.FuncPreferredSharedCarveout)
			return set == abi.Success && v == -1 && r == abi.Success
		},
		"active blocks": func() bool {
			n, r := d.OccupancyMaxActiveBlocksPerMultiprocessor(ctx, 1, 30, 5)
			return n == 35 && r == abi.Success
		},
		"block size": func() bool {
			grid, block, r := d.OccupancyMaxPotentialBlockSize(ctx, 1, 7, 96)
			return grid == 7 && block == 96 && r == abi.Success
		},
		"no context": func() bool {
			return d.LaunchHostFunc(0, 1, func() {}) == abi.InvalidContext && len(hostFuncs.calls) == 0
		},
	} {
		if !f() {
			t.Error(name)
		}
	}
}

// owns reports whether an object is gone after its end, and not before.
func owns(d abi.Driver, end func(abi.UserObject) abi.Result) bool {
	o, r := d.UserObjectCreate()
	before, _ := d.UserObjectGone(o)
	ended := end(o)
	after, _ := d.UserObjectGone(o)
	return r == abi.Success && ended == abi.Success && !before && after
}
