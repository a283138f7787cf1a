package simulator

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

func TestFreshMemoryIsGarbage(t *testing.T) {
	r := newRig(t, Config{})
	r.holds(r.alloc(100), 0xCD, 100)
	zero := newRig(t, Config{Fill: -1})
	zero.holds(zero.alloc(100), 0, 100)
}

func TestCopiesRoundTrip(t *testing.T) {
	r := newRig(t, Config{})
	src := make([]byte, 3*pageBytes+5)
	for i := range src {
		src[i] = byte(i * 7)
	}
	a, b := r.alloc(uint64(len(src))+9), r.alloc(uint64(len(src))+9)
	r.ok(r.MemcpyHtoD(r.ctx, a+9, hostOf(src), uint64(len(src))))
	r.ok(r.MemcpyDtoD(r.ctx, b+3, a+9, uint64(len(src))))
	got := make([]byte, len(src))
	r.ok(r.MemcpyDtoH(r.ctx, hostOf(got), b+3, uint64(len(src))))
	if !bytes.Equal(got, src) {
		t.Fatal("other bytes came back")
	}
}

func TestLargeMemoryCostsNothing(t *testing.T) {
	r := newRig(t, Config{Capacity: 140 << 30})
	a, b := r.alloc(69<<30), r.alloc(69<<30)
	r.ok(r.MemsetD8(r.ctx, a, 3, 69<<30))
	r.ok(r.MemcpyDtoD(r.ctx, b, a, 1<<30))
	r.ok(r.CtxSynchronize(r.ctx))
	r.holds(b+1<<30-4, 3, 4)
	r.holds(b+1<<30, 0xCD, 4)
	r.holds(a+69<<30-4, 3, 4)
}

func TestCapacity(t *testing.T) {
	r := newRig(t, Config{Capacity: 1 << 20})
	p := r.alloc(1 << 19)
	free, total, result := r.MemGetInfo(r.ctx)
	r.ok(result)
	if free != 1<<19 || total != 1<<20 {
		t.Fatalf("free %d of %d", free, total)
	}
	_, result = r.MemAlloc(r.ctx, 1<<19+1)
	r.want(result, abi.OutOfMemory)
	_, result = r.MemAlloc(r.ctx, ^uint64(0))
	r.want(result, abi.OutOfMemory)
	_, result = r.MemAlloc(r.ctx, 0)
	r.want(result, abi.InvalidValue)
	r.ok(r.MemFree(r.ctx, p))
	r.alloc(1 << 20)
}

func TestIllegalAddresses(t *testing.T) {
	r := newRig(t, Config{})
	p := r.alloc(1000)
	q := r.alloc(1000)
	buf := make([]byte, 2*pageBytes)
	for name, got := range map[string]abi.Result{
		"beyond the end":  r.MemcpyHtoD(r.ctx, p+1, hostOf(buf), 1000),
		"before":          r.MemsetD8(r.ctx, p-1, 0, 1),
		"across two":      r.MemcpyDtoH(r.ctx, hostOf(buf), p, uint64(q-p)+1),
		"host as device":  r.MemsetD8(r.ctx, addressOf(hostOf(buf)), 0, 1),
		"nil of the host": r.MemcpyHtoD(r.ctx, p, nil, 1),
		"null":            r.MemsetD8(r.ctx, 0, 0, 1),
		"interior free":   r.MemFree(r.ctx, p+8),
	} {
		if got != abi.InvalidValue {
			t.Errorf("%s: %d", name, got)
		}
	}
	r.ok(r.MemFree(r.ctx, p))
	r.want(r.MemFree(r.ctx, p), abi.InvalidValue)
	r.want(r.MemsetD8(r.ctx, p, 0, 1), abi.InvalidValue)
	if bad := r.BadReleases(); len(bad) != 2 {
		t.Errorf("bad releases: %q", bad)
	}
	if p < firstAddress {
		t.Errorf("%#x could be a host address", p)
	}
}

func TestFreeWaitsForTheContext(t *testing.T) {
	r := newRig(t, Config{})
	p, s := r.alloc(8), r.stream()
	r.set(p, 1, 8, s)
	r.ok(r.MemFree(r.ctx, p))
	r.ok(r.StreamQuery(r.ctx, s))
}

// A fill with words has each word, across parts of a store, and begins at a word.
func TestFillWithWords(t *testing.T) {
	r := newRig(t, Config{})
	s := r.stream()
	p := r.alloc(4096)
	r.set(p, 1, 4096, s)
	r.ok(r.MemsetD32Async(r.ctx, p+8, 0x04030201, 1000, s))
	r.want(r.MemsetD32Async(r.ctx, p+2, 0, 1, s), abi.InvalidValue)
	r.want(r.MemsetD32Async(r.ctx, p, 0, 1025, s), abi.InvalidValue)
	r.want(r.MemsetD32Async(r.ctx, p, 0, 1<<62, s), abi.InvalidValue)
	r.ok(r.StreamSynchronize(r.ctx, s))
	for i, got := range r.peek(p, 4096) {
		want := byte(1)
		if i >= 8 && i < 4008 {
			want = byte(i%4 + 1)
		}
		if got != want {
			t.Fatalf("byte %d is %d, want %d", i, got, want)
		}
	}
}

func TestManagedAndPinnedMemoryIsTheProgramsToo(t *testing.T) {
	r := newRig(t, Config{})
	for name, alloc := range map[string]func(abi.Context, uint64, uint32) (unsafe.Pointer, abi.Result){
		"managed": r.MemAllocManaged, "pinned": r.MemHostAlloc,
	} {
		p, result := alloc(r.ctx, 5000, abi.ManagedGlobal)
		r.ok(result)
		memory := unsafe.Slice((*byte)(p), 5000)
		memory[4999] = 42
		dev := r.alloc(1)
		r.ok(r.MemcpyDtoD(r.ctx, dev, addressOf(p)+4999, 1))
		r.ok(r.MemsetD8(r.ctx, addressOf(p), 7, 10))
		r.ok(r.CtxSynchronize(r.ctx))
		r.holds(dev, 42, 1)
		if memory[9] != 7 || memory[10] != 0 {
			t.Errorf("%s: device wrote %d %d", name, memory[9], memory[10])
		}
		where, result := r.PointerGetDevice(addressOf(p))
		r.ok(result)
		if where != 0 {
			t.Errorf("%s: device %d", name, where)
		}
		if name == "managed" {
			r.ok(r.MemFree(r.ctx, addressOf(p)))
		} else {
			q, result := r.MemHostGetDevicePointer(r.ctx, p)
			r.ok(result)
			if q != addressOf(p) {
				t.Errorf("device pointer %#x", q)
			}
			r.ok(r.MemFreeHost(r.ctx, p))
			r.want(r.MemFreeHost(r.ctx, p), abi.InvalidValue)
		}
	}
}

// Allocations that touch are still two: no operation runs from one into the other.
func TestTouchingAddresses(t *testing.T) {
	for _, touching := range []bool{false, true} {
		r := newRig(t, Config{Touching: touching})
		p, q := r.alloc(memoryUnit), r.alloc(memoryUnit)
		if touches := q == p+memoryUnit; touches != touching {
			t.Errorf("touching %v: %#x behind %#x of %d bytes", touching, q, p, memoryUnit)
		}
		r.want(r.MemsetD8(r.ctx, p, 0, memoryUnit+1), abi.InvalidValue)
	}
}

func TestRecycledAddresses(t *testing.T) {
	r := newRig(t, Config{Recycle: true})
	p := r.alloc(100)
	r.ok(r.MemFree(r.ctx, p))
	if q := r.alloc(100); q != p {
		t.Errorf("%#x after %#x was freed", q, p)
	}
	s := r.stream()
	id, _ := r.StreamGetID(r.ctx, s)
	r.ok(r.StreamDestroy(r.ctx, s))
	again := r.stream()
	other, _ := r.StreamGetID(r.ctx, again)
	if again != s || other == id {
		t.Errorf("stream %#x number %d after %#x number %d", again, other, s, id)
	}
}
