package simulator

import (
	"encoding/binary"
	"testing"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// fillKernel writes a byte over a buffer: pointer, length, value.
var fillKernel = Kernel{
	Run: func(l *Launch) {
		data := make([]byte, l.Uint64(1))
		for i := range data {
			data[i] = byte(l.Uint64(2))
		}
		l.Write(l.Uint64(0), data)
	},
	Uses: func(l *Launch) []Use { return []Use{{Ptr: l.Uint64(0), Bytes: l.Uint64(1), Write: true}} },
}

func word(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }

// function loads a module and finds a kernel.
func (r *rig) function(name string, k Kernel) abi.Function {
	r.t.Helper()
	r.Kernel(name, k)
	m, _, result := r.ModuleLoadData(r.ctx, []byte("image"))
	r.ok(result)
	f, result := r.ModuleGetFunction(r.ctx, m, name)
	r.ok(result)
	return f
}

var one = [3]uint32{1, 1, 1}

func TestKernel(t *testing.T) {
	r := newRig(t, Config{Hazards: true})
	f, p, s := r.function("fill", fillKernel), r.alloc(100), r.stream()
	params := [][]byte{word(uint64(p)), word(100), {7}}
	r.ok(r.LaunchKernel(r.ctx, f, one, one, 0, s, params))
	params[2][0] = 8 // the launch has its own
	r.holds(p, 0xCD, 100)
	r.RunAll()
	r.holds(p, 7, 100)
	r.set(p, 1, 8, r.stream())
	if found := r.Hazards(); len(found) != 1 {
		t.Errorf("%v", found)
	}
	r.want(r.LaunchKernel(r.ctx, 1, one, one, 0, s, params), abi.InvalidHandle)
}

// The shape of a launch must be within the attributes of the device.
func TestKernelShapes(t *testing.T) {
	r := newRig(t, Config{})
	f := r.function("nothing", Kernel{Run: func(*Launch) {}})
	for name, c := range map[string]struct {
		grid, block [3]uint32
		shared      uint32
		want        abi.Result
	}{
		"the largest grid":        {[3]uint32{1<<31 - 1, 65535, 65535}, one, 48 << 10, abi.Success},
		"the largest block":       {one, [3]uint32{4, 4, 64}, 0, abi.Success},
		"no grid":                 {[3]uint32{}, one, 0, abi.InvalidValue},
		"no depth":                {[3]uint32{1, 1, 0}, one, 0, abi.InvalidValue},
		"no block":                {one, [3]uint32{1, 0, 1}, 0, abi.InvalidValue},
		"a wide grid":             {[3]uint32{1 << 31, 1, 1}, one, 0, abi.InvalidValue},
		"a high grid":             {[3]uint32{1, 65536, 1}, one, 0, abi.InvalidValue},
		"a deep grid":             {[3]uint32{1, 1, 65536}, one, 0, abi.InvalidValue},
		"a wide block":            {one, [3]uint32{1025, 1, 1}, 0, abi.InvalidValue},
		"a deep block":            {one, [3]uint32{1, 1, 65}, 0, abi.InvalidValue},
		"too many threads":        {one, [3]uint32{32, 33, 1}, 0, abi.InvalidValue},
		"too much that is shared": {one, one, 48<<10 + 1, abi.InvalidValue},
	} {
		if got := r.LaunchKernel(r.ctx, f, c.grid, c.block, c.shared, 0, nil); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestKernelFaults(t *testing.T) {
	r := newRig(t, Config{})
	f, p := r.function("fill", Kernel{Run: fillKernel.Run}), r.alloc(100)
	r.ok(r.LaunchKernel(r.ctx, f, one, one, 0, 0, [][]byte{word(uint64(p)), word(101), {7}}))
	r.want(r.StreamSynchronize(r.ctx, 0), abi.IllegalAddress)
	r.Reset(Config{})
	f = r.function("bad", Kernel{Run: func(l *Launch) { l.Fail(719) }})
	r.ok(r.LaunchKernel(r.ctx, f, one, one, 0, 0, nil))
	r.want(r.CtxSynchronize(r.ctx), 719)
}

func TestModules(t *testing.T) {
	r := newRig(t, Config{})
	_, log, result := r.ModuleLoadData(r.ctx, []byte("invalid"))
	r.want(result, abi.InvalidImage)
	if log == "" {
		t.Error("no log")
	}
	m, _, result := r.ModuleLoadData(r.ctx, []byte("image"))
	r.ok(result)
	_, result = r.ModuleGetFunction(r.ctx, m, "unknown")
	r.want(result, abi.NotFound)
	r.ok(r.ModuleUnload(r.ctx, m))
	r.want(r.ModuleUnload(r.ctx, m), abi.InvalidHandle)
}

func TestPeers(t *testing.T) {
	r := newRig(t, Config{})
	other := r.retain(1)
	f, s := r.function("fill", Kernel{Run: fillKernel.Run}), r.stream()
	p, result := r.MemAlloc(other, 8)
	r.ok(result)
	here := r.alloc(8)
	can, result := r.DeviceCanAccessPeer(0, 1)
	r.ok(result)
	self, result := r.DeviceCanAccessPeer(0, 0)
	r.ok(result)
	if !can || self {
		t.Errorf("peer %v, self %v", can, self)
	}
	r.want(r.CtxDisablePeerAccess(r.ctx, other), abi.PeerAccessNotEnabled)
	r.ok(r.CtxEnablePeerAccess(r.ctx, other))
	r.want(r.CtxEnablePeerAccess(r.ctx, other), abi.PeerAccessAlreadyEnabled)
	r.ok(r.LaunchKernel(r.ctx, f, one, one, 0, s, [][]byte{word(uint64(p)), word(8), {7}}))
	r.ok(r.MemcpyPeerAsync(r.ctx, here, r.ctx, p, other, 8, s))
	r.ok(r.StreamSynchronize(r.ctx, s))
	r.holds(here, 7, 8)
	r.ok(r.CtxDisablePeerAccess(r.ctx, other))
	r.ok(r.LaunchKernel(r.ctx, f, one, one, 0, s, [][]byte{word(uint64(p)), word(8), {7}}))
	r.want(r.StreamSynchronize(r.ctx, s), abi.IllegalAddress)
	alone := newRig(t, Config{NoPeers: true})
	alone.want(alone.CtxEnablePeerAccess(alone.ctx, alone.retain(1)), abi.PeerAccessUnsupported)
}

func TestKernelBelongsToAContext(t *testing.T) {
	r := newRig(t, Config{})
	f := r.function("fill", fillKernel)
	r.want(r.LaunchKernel(r.retain(1), f, one, one, 0, 0, [][]byte{word(0), word(0), {7}}), abi.InvalidHandle)
}
