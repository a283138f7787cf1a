//go:build linux && (amd64 || arm64) && (cgo || poolgen_purego)

package native

import (
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// Each address of the fake shows its device, and the fake refuses a call without a context: calls on a wrong thread are detected.
func TestContextsOfThreads(t *testing.T) {
	d := inFake(t)
	if d == nil {
		return
	}
	const workers, rounds = 64, 40 // of five calls: 12,800 in all
	var ctx [2]abi.Context
	for i := range ctx {
		ctx[i], _ = d.DevicePrimaryCtxRetain(i)
	}
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := range rounds {
				of := (w + i) % 2
				p, r := d.MemAlloc(ctx[of], 256)
				if r != abi.Success || int(p>>40)-1 != of {
					t.Errorf("MemAlloc on device %d: %#x, %d", of, p, r)
					return
				}
				runtime.Gosched()
				for _, r := range []abi.Result{
					d.MemsetD8(ctx[of], p, 1, 256),
					d.MemcpyHtoD(ctx[of], p, unsafe.Pointer(&[8]byte{}), 8),
					d.MemcpyDtoDAsync(ctx[of], p, p+8, 8, 0),
					d.MemFree(ctx[of], p),
				} {
					if r != abi.Success {
						t.Errorf("device %d: %d", of, r)
						return
					}
				}
			}
		})
	}
	all.Wait()
	if n, r := d.DeviceGetAttribute(0, 199); n != 0 || r != abi.Success {
		t.Errorf("%d calls in the context of another device", n)
	}
}

func TestContextIsPutBack(t *testing.T) {
	d := inFake(t)
	if d == nil {
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	first, _ := d.DevicePrimaryCtxRetain(0)
	second, _ := d.DevicePrimaryCtxRetain(1)
	for _, before := range []abi.Context{0, first, second} {
		if r := d.CtxSetCurrent(before); r != abi.Success {
			t.Fatal(r)
		}
		d.MemAlloc(first, 1)
		d.MemAlloc(second, 1<<40) // fails
		d.StreamQuery(second, 0)
		if now, r := d.CtxGetCurrent(); now != before || r != abi.Success {
			t.Errorf("current context is %#x, was %#x", now, before)
		}
	}
	d.CtxSetCurrent(0)
	if _, r := d.CtxGetDevice(); r != abi.InvalidContext {
		t.Errorf("CtxGetDevice without a context: %d", r)
	}
	if _, r := d.MemAlloc(0, 1); r != abi.InvalidContext {
		t.Errorf("MemAlloc without a context: %d", r)
	}
	if _, r := d.MemAlloc(0x1234, 1); r != abi.InvalidContext {
		t.Errorf("MemAlloc in a context that is none: %d", r)
	}
}

func TestCallsAllocateNothing(t *testing.T) {
	d := inFake(t)
	if d == nil {
		return
	}
	ctx, _ := d.DevicePrimaryCtxRetain(1)
	buffer := make([]byte, 64)
	params := [][]byte{{1}, {0, 0, 0, 0, 0, 0, 0, 0}}
	pool, _ := d.MemPoolCreate(abi.PoolProps{Type: 1, Location: 1})
	for name, call := range map[string]func(){
		"MemAlloc, MemFree": func() { p, _ := d.MemAlloc(ctx, 1); d.MemFree(ctx, p) },
		"copies": func() {
			d.MemcpyHtoD(ctx, 2<<40, unsafe.Pointer(&buffer[0]), 64)
			d.MemcpyDtoH(ctx, unsafe.Pointer(&buffer[0]), 2<<40, 64)
			d.MemcpyDtoDAsync(ctx, 2<<40, 2<<40, 64, 0)
		},
		"events": func() {
			e, _ := d.EventCreate(ctx, 2)
			d.EventRecord(ctx, e, 0)
			d.EventQuery(ctx, e)
			d.StreamWaitEvent(ctx, 0, e)
			d.EventDestroy(ctx, e)
		},
		"streams":    func() { s, _ := d.StreamCreate(ctx, 0, 0); d.StreamQuery(ctx, s); d.StreamDestroy(ctx, s) },
		"questions":  func() { d.MemGetInfo(ctx); d.DeviceGetCount(); d.DeviceGetAttribute(0, 1); d.CtxGetCurrent() },
		"attributes": func() { d.MemPoolGetAttribute(pool, 4); d.MemPoolSetAttribute(pool, 4, 1) },
		"making pools": func() {
			d.MemPoolCreate(abi.PoolProps{Type: 1, Location: 1})
		},
		"launches": func() { d.LaunchKernel(ctx, 1, [3]uint32{}, [3]uint32{}, 0, 0, params) },
		"none":     func() { d.MemAllocAsync(ctx, 1, 0) },
	} {
		if n := testing.AllocsPerRun(100, call); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func TestPoolAttributesAtTheirWidth(t *testing.T) {
	d := inFake(t)
	if d == nil {
		return
	}
	pool, r := d.MemPoolCreate(abi.PoolProps{Type: abi.AllocationPinned, Location: abi.LocationDevice, ID: 1, MaxSize: 1 << 33})
	if r != abi.Success {
		t.Fatal(r)
	}
	if v, _ := d.MemPoolGetAttribute(pool, abi.PoolUsedMemHigh); v != 1<<33 {
		t.Errorf("MaxSize arrived as %d", v)
	}
	for a := int32(1); a <= 8; a++ {
		want := uint64(1) << 40
		if a <= 3 {
			want = 1
		}
		d.MemPoolSetAttribute(pool, a, want)
	}
	for a := int32(1); a <= 8; a++ {
		want := uint64(1) << 40
		if a <= 3 {
			want = 1
		}
		if v, r := d.MemPoolGetAttribute(pool, a); v != want || r != abi.Success {
			t.Errorf("attribute %d is %d, %d", a, v, r)
		}
	}
}

func TestLaunchPassesArguments(t *testing.T) {
	d := inFake(t)
	if d == nil {
		return
	}
	ctx, _ := d.DevicePrimaryCtxRetain(0)
	r := d.LaunchKernel(ctx, 1, [3]uint32{1, 2, 3}, [3]uint32{4, 5, 6}, 7, 0, [][]byte{{100}, {20, 0, 0, 0, 0, 0, 0, 0}, {3, 0, 0, 0}})
	if r != 123 {
		t.Errorf("the arguments add up to %d", r)
	}
}

func BenchmarkCall(b *testing.B) {
	d := Open()
	if d.Load().Result != abi.Success {
		b.Skip("no driver; POOLGEN_CUDA_LIBRARY may name a fake one")
	}
	ctx, _ := d.DevicePrimaryCtxRetain(0)
	b.ReportAllocs()
	for b.Loop() {
		d.StreamQuery(ctx, 0)
	}
}
