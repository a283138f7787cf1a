package simulator

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// rig is a loaded simulator with the context of device 0, for tests.
type rig struct {
	*Driver
	t   testing.TB
	ctx abi.Context
}

func newRig(t testing.TB, cfg Config) *rig {
	t.Helper()
	d := New(cfg)
	if s := d.Load(); s.Result != abi.Success {
		t.Fatalf("Load: %+v", s)
	}
	r := &rig{Driver: d, t: t}
	r.ctx = r.retain(0)
	return r
}

// ok stops the test if a call failed.
func (r *rig) ok(got abi.Result) {
	r.t.Helper()
	r.want(got, abi.Success)
}

// want stops the test if a call returned something else.
func (r *rig) want(got, want abi.Result) {
	r.t.Helper()
	if got != want {
		r.t.Fatalf("result %d %s, want %d %s", got, r.GetErrorName(got), want, r.GetErrorName(want))
	}
}

func (r *rig) retain(dev int) abi.Context {
	r.t.Helper()
	ctx, result := r.DevicePrimaryCtxRetain(dev)
	r.ok(result)
	return ctx
}

func (r *rig) stream() abi.Stream {
	r.t.Helper()
	s, result := r.StreamCreate(r.ctx, abi.StreamNonBlocking, 0)
	r.ok(result)
	return s
}

func (r *rig) event() abi.Event {
	r.t.Helper()
	e, result := r.EventCreate(r.ctx, abi.EventDisableTiming)
	r.ok(result)
	return e
}

// launchGraph launches a graph once.
func (r *rig) launchGraph(g abi.Graph, s abi.Stream) {
	r.t.Helper()
	e, result := r.GraphInstantiate(r.ctx, g)
	r.ok(result)
	r.ok(r.GraphLaunch(r.ctx, e, s))
	r.ok(r.GraphExecDestroy(r.ctx, e))
}

func (r *rig) alloc(bytes uint64) abi.Ptr {
	r.t.Helper()
	p, result := r.MemAlloc(r.ctx, bytes)
	r.ok(result)
	return p
}

// set queues a fill.
func (r *rig) set(p abi.Ptr, value byte, bytes uint64, s abi.Stream) {
	r.t.Helper()
	r.ok(r.MemsetD8Async(r.ctx, p, value, bytes, s))
}

// peek reads device memory as it is now, past all streams.
func (r *rig) peek(p abi.Ptr, bytes int) []byte {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	got := make([]byte, bytes)
	pieces, result := r.resolve(p, uint64(bytes))
	r.ok(result)
	r.ok(move(scratch(got), pieces))
	return got
}

// holds checks that n bytes at p all are value.
func (r *rig) holds(p abi.Ptr, value byte, n int) {
	r.t.Helper()
	if got := r.peek(p, n); !bytes.Equal(got, bytes.Repeat([]byte{value}, n)) {
		r.t.Fatalf("memory holds % x..., want %#x", got[:min(n, 16)], value)
	}
}

// hostOf returns the address of bytes of the program.
func hostOf(b []byte) unsafe.Pointer { return unsafe.Pointer(&b[0]) }

// hostAt returns the host memory at a device address, for use by the program.
func hostAt(r *rig, p abi.Ptr) unsafe.Pointer {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.at(p)
	if s == nil || s.store.host == nil {
		r.t.Fatalf("%#x is no memory of the host", p)
	}
	return unsafe.Pointer(&s.store.host[s.offset+uint64(p-s.base)])
}
