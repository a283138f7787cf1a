package simulator

import (
	"testing"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

func (r *rig) reserve(bytes uint64) abi.Ptr {
	r.t.Helper()
	p, result := r.MemAddressReserve(bytes, 0)
	r.ok(result)
	return p
}

func (r *rig) physical(bytes uint64, handles int32) abi.Memory {
	r.t.Helper()
	m, result := r.MemCreate(bytes, abi.MemoryProps{Location: abi.LocationDevice, Handles: handles})
	r.ok(result)
	return m
}

func TestMappingsInARowAreOneRange(t *testing.T) {
	r := newRig(t, Config{})
	at := r.reserve(3 * grain)
	m, n := r.physical(grain, 0), r.physical(grain, 0)
	r.ok(r.MemMap(at, grain, 0, m))
	r.ok(r.MemMap(at+grain, grain, 0, n))
	r.want(r.MemsetD8(r.ctx, at, 1, 8), abi.InvalidValue) // no access yet
	r.ok(r.MemSetAccess(at, 2*grain, 0, abi.AccessReadWrite))
	r.ok(r.MemsetD8(r.ctx, at+grain-8, 1, 16))
	r.want(r.MemsetD8(r.ctx, at+2*grain-8, 1, 16), abi.InvalidValue)
	r.ok(r.CtxSynchronize(r.ctx))
	r.holds(at+grain-8, 1, 16)
	r.ok(r.MemUnmap(at, grain))
	r.want(r.MemsetD8(r.ctx, at, 1, 8), abi.InvalidValue)
	r.ok(r.MemMap(at+2*grain, grain, 0, n)) // the same memory twice
	r.ok(r.MemSetAccess(at+2*grain, grain, 0, abi.AccessRead))
	r.holds(at+2*grain, 1, 8)
	r.want(r.MemsetD8(r.ctx, at+2*grain, 1, 8), abi.InvalidValue)
}

func TestPhysicalMemoryLivesWhileMapped(t *testing.T) {
	r := newRig(t, Config{Capacity: 2 * grain})
	at, m := r.reserve(grain), r.physical(grain, 0)
	r.ok(r.MemMap(at, grain, 0, m))
	r.ok(r.MemRelease(m))
	r.want(r.MemRelease(m), abi.InvalidValue)
	if free, _, _ := r.MemGetInfo(r.ctx); free != grain {
		t.Errorf("%d free while mapped", free)
	}
	r.want(r.MemAddressFree(at, grain), abi.InvalidValue)
	r.ok(r.MemUnmap(at, grain))
	if free, _, _ := r.MemGetInfo(r.ctx); free != 2*grain {
		t.Errorf("%d free", free)
	}
	r.ok(r.MemAddressFree(at, grain))
	_, result := r.MemCreate(3*grain, abi.MemoryProps{Location: abi.LocationDevice})
	r.want(result, abi.OutOfMemory)
	if live := r.Live(); len(live) > 0 {
		t.Errorf("%v", live)
	}
}

func TestMappingRefusals(t *testing.T) {
	r := newRig(t, Config{})
	at, m := r.reserve(4*grain), r.physical(2*grain, 0)
	r.ok(r.MemMap(at, 2*grain, 0, m))
	for name, got := range map[string]abi.Result{
		"offset":               r.MemMap(at+2*grain, grain, grain, m),
		"larger than memory":   r.MemMap(at+2*grain, 4*grain, 0, m),
		"over a mapping":       r.MemMap(at+grain, grain, 0, m),
		"beyond the range":     r.MemMap(at+3*grain, 2*grain, 0, m),
		"not whole":            r.MemMap(at+2*grain, grain-1, 0, m),
		"misplaced":            r.MemMap(at+2*grain+1, grain, 0, m),
		"half a mapping":       r.MemUnmap(at, grain),
		"access to half":       r.MemSetAccess(at, grain, 0, abi.AccessRead),
		"access to a gap":      r.MemSetAccess(at, 3*grain, 0, abi.AccessRead),
		"nonsense access":      r.MemSetAccess(at, 2*grain, 0, 2),
		"free with a mapping":  r.MemAddressFree(at, 4*grain),
		"free of another size": r.MemAddressFree(at, grain),
	} {
		if got != abi.InvalidValue {
			t.Errorf("%s: %d", name, got)
		}
	}
	r.SetAttribute(0, abi.AttributeVirtualMemoryManagement, 0)
	_, result := r.MemAddressReserve(grain, 0)
	r.want(result, abi.NotSupported)
}

func TestUnmappingUnderQueuedWork(t *testing.T) {
	r := newRig(t, Config{})
	for name, queue := range map[string]func(at, other abi.Ptr, s abi.Stream) abi.Result{
		"fill":      func(at, _ abi.Ptr, s abi.Stream) abi.Result { return r.MemsetD8Async(r.ctx, at, 1, 8, s) },
		"copy to":   func(at, other abi.Ptr, s abi.Stream) abi.Result { return r.MemcpyDtoDAsync(r.ctx, at, other, 8, s) },
		"copy from": func(at, other abi.Ptr, s abi.Stream) abi.Result { return r.MemcpyDtoDAsync(r.ctx, other, at, 8, s) },
	} {
		r.Reset(Config{})
		at, m, s := r.reserve(grain), r.physical(grain, 0), r.stream()
		r.ok(r.MemMap(at, grain, 0, m))
		r.ok(r.MemSetAccess(at, grain, 0, abi.AccessReadWrite))
		r.ok(queue(at, r.alloc(8), s))
		r.ok(r.MemUnmap(at, grain))
		if got := r.StreamSynchronize(r.ctx, s); got != abi.IllegalAddress {
			t.Errorf("%s: %d", name, got)
		}
	}
}

func TestAlignedReservation(t *testing.T) {
	r := newRig(t, Config{})
	for _, align := range []uint64{1 << 21, 1 << 25, 1 << 30} {
		p, result := r.MemAddressReserve(grain, align)
		r.ok(result)
		if uint64(p)%align != 0 {
			t.Errorf("%#x is not aligned to %d", p, align)
		}
	}
	_, result := r.MemAddressReserve(grain, 3)
	r.want(result, abi.InvalidValue)
}
