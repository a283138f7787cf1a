package simulator

import (
	"testing"
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// instantiated captures a fill and instantiates it.
func (r *rig) instantiated(p abi.Ptr, s abi.Stream) abi.GraphExec {
	r.t.Helper()
	r.ok(r.StreamBeginCapture(r.ctx, s))
	r.set(p, 1, 8, s)
	g, result := r.StreamEndCapture(r.ctx, s)
	r.ok(result)
	e, result := r.GraphInstantiate(r.ctx, g)
	r.ok(result)
	r.ok(r.GraphDestroy(g))
	_, result = r.GraphInstantiate(r.ctx, g)
	r.want(result, abi.InvalidHandle)
	return e
}

// Launches of one instance are ordered, on whatever streams. Launches of two instances are not.
func TestLaunchesOfAnInstanceAreOrdered(t *testing.T) {
	for _, same := range []bool{true, false} {
		r := newRig(t, Config{Hazards: true})
		a, b, p := r.stream(), r.stream(), r.alloc(8)
		first := r.instantiated(p, a)
		second := first
		if !same {
			second = r.instantiated(p, b)
		}
		r.ok(r.GraphLaunch(r.ctx, first, a))
		r.ok(r.GraphLaunch(r.ctx, second, b))
		if found := r.Hazards(); (len(found) == 0) != same {
			t.Errorf("one instance %v: %v", same, found)
		}
	}
}

func TestInstanceIsReleasedOnce(t *testing.T) {
	r := newRig(t, Config{})
	s, p := r.stream(), r.alloc(8)
	e := r.instantiated(p, s)
	r.ok(r.GraphLaunch(r.ctx, e, s))
	r.ok(r.GraphExecDestroy(r.ctx, e))
	r.want(r.GraphExecDestroy(r.ctx, e), abi.InvalidHandle)
	r.want(r.GraphLaunch(r.ctx, e, s), abi.InvalidHandle)
	r.ok(r.StreamSynchronize(r.ctx, s))
	r.holds(p, 1, 8)
	if r.Live()[KindGraphExec] != 0 || len(r.BadReleases()) != 1 {
		t.Errorf("%v, %q", r.Live(), r.BadReleases())
	}
}

// A captured host function is called at each launch, in the order of the graph.
func TestHostFunctionsInGraphs(t *testing.T) {
	r := newRig(t, Config{})
	s, p := r.stream(), r.alloc(8)
	calls := 0
	r.ok(r.StreamBeginCapture(r.ctx, s))
	r.ok(r.LaunchHostFunc(r.ctx, s, func() { calls++ }))
	g, result := r.StreamEndCapture(r.ctx, s)
	r.ok(result)
	r.launchGraph(g, s)
	r.launchGraph(g, s)
	r.set(p, 1, 8, s)
	if calls != 0 {
		t.Error("called before the stream reaches it")
	}
	r.RunAll()
	if calls != 2 {
		t.Errorf("%d calls", calls)
	}
	r.want(r.LaunchHostFunc(r.ctx, s, nil), abi.InvalidValue)
}

// After an operation has failed, host functions are not called.
func TestHostFunctionsOfALostContext(t *testing.T) {
	r := newRig(t, Config{})
	s, f := r.stream(), r.function("bad", Kernel{Run: func(l *Launch) { l.Fail(719) }})
	r.ok(r.LaunchKernel(r.ctx, f, one, one, 0, s, nil))
	r.ok(r.LaunchHostFunc(r.ctx, s, func() { t.Error("called") }))
	r.want(r.StreamSynchronize(r.ctx, s), 719)
}

func TestRegisteredMemory(t *testing.T) {
	r := newRig(t, Config{Hazards: true})
	memory := make([]byte, 4096)
	at := unsafe.Pointer(&memory[1024])
	r.ok(r.MemHostRegister(r.ctx, at, 1024, abi.HostPortable))
	for name, c := range map[string]struct {
		from, bytes uint64
		want        abi.Result
	}{
		"the same": {1024, 1024, abi.HostAlreadyRegistered}, "inside": {1500, 1, abi.HostAlreadyRegistered}, "around": {0, 4096, abi.HostAlreadyRegistered},
		"the end": {2047, 2, abi.HostAlreadyRegistered}, "nothing": {0, 0, abi.InvalidValue},
	} {
		if got := r.MemHostRegister(r.ctx, unsafe.Pointer(&memory[c.from]), c.bytes, 0); got != c.want {
			t.Errorf("%s: %d", name, got)
		}
	}
	r.ok(r.MemHostRegister(r.ctx, unsafe.Pointer(&memory[2048]), 8, 0))
	r.want(r.MemHostRegister(r.ctx, unsafe.Pointer(&memory[0]), 8, 0x10), abi.InvalidValue)
	a, b, p := r.stream(), r.stream(), r.alloc(8)
	r.ok(r.MemcpyDtoHAsync(r.ctx, at, p, 8, a))
	r.ok(r.MemcpyDtoHAsync(r.ctx, at, p, 8, b))
	if found := r.Hazards(); len(found) != 1 {
		t.Errorf("the checker knows the memory: %v", found)
	}
	r.ok(r.CtxSynchronize(r.ctx))
	if memory[1024] != 0xCD {
		t.Error("the copy did not reach the memory")
	}
	r.ok(r.MemcpyDtoHAsync(r.ctx, at, p, 8, a))
	r.ok(r.MemHostUnregister(r.ctx, at))
	r.want(r.MemHostUnregister(r.ctx, at), abi.HostNotRegistered)
	r.want(r.StreamSynchronize(r.ctx, a), abi.IllegalAddress)
}

func TestContextFlags(t *testing.T) {
	d := New(Config{})
	if flags, active, r := d.DevicePrimaryCtxGetState(1); flags != 0 || active || r != abi.Success {
		t.Errorf("at first: %#x, %v, %d", flags, active, r)
	}
	for flags, want := range map[uint32]abi.Result{4: abi.Success, 4 | 0x10: abi.Success, 3: abi.InvalidValue, 0x100: abi.InvalidValue} {
		if r := d.DevicePrimaryCtxSetFlags(0, flags); r != want {
			t.Errorf("%#x: %d", flags, r)
		}
	}
	if r := d.DevicePrimaryCtxSetFlags(9, 0); r != abi.InvalidDevice {
		t.Errorf("device 9: %d", r)
	}
}
