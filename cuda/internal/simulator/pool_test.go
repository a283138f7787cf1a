package simulator

import (
	"testing"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

const (
	mib   = 1 << 20
	grain = 2 * mib // the default granularity
)

// pool makes a pool on device 0.
func (r *rig) pool(props abi.PoolProps) abi.Pool {
	r.t.Helper()
	props.Type, props.Location = abi.AllocationPinned, abi.LocationDevice
	p, result := r.MemPoolCreate(props)
	r.ok(result)
	return p
}

func (r *rig) from(p abi.Pool, bytes uint64, s abi.Stream) abi.Ptr {
	r.t.Helper()
	at, result := r.MemAllocFromPoolAsync(r.ctx, bytes, p, s)
	r.ok(result)
	return at
}

// counters checks reserved and used memory, current and highest.
func (r *rig) counters(p abi.Pool, reserved, reservedHigh, used, usedHigh uint64) {
	r.t.Helper()
	want := [4]uint64{reserved, reservedHigh, used, usedHigh}
	var got [4]uint64
	for i := range got {
		value, result := r.MemPoolGetAttribute(p, int32(abi.PoolReservedMemCurrent+i))
		r.ok(result)
		got[i] = value
	}
	if got != want {
		r.t.Fatalf("reserved, high, used, high: %d, want %d", got, want)
	}
}

func TestPoolCounters(t *testing.T) {
	r := newRig(t, Config{})
	p, s := r.pool(abi.PoolProps{}), r.stream()
	a := r.from(p, 1000, s)
	b := r.from(p, 3*mib, s)
	r.counters(p, 3*grain, 3*grain, 1024+3*mib, 1024+3*mib)
	r.ok(r.MemFreeAsync(r.ctx, b, s))
	r.counters(p, 3*grain, 3*grain, 1024, 1024+3*mib)
	r.ok(r.StreamSynchronize(r.ctx, s)) // threshold 0
	r.counters(p, grain, 3*grain, 1024, 1024+3*mib)
	r.ok(r.MemPoolSetAttribute(p, abi.PoolUsedMemHigh, 0))
	r.ok(r.MemPoolSetAttribute(p, abi.PoolReservedMemHigh, 0))
	r.counters(p, grain, grain, 1024, 1024)
	r.want(r.MemPoolSetAttribute(p, abi.PoolUsedMemHigh, 1), abi.InvalidValue)
	r.want(r.MemPoolSetAttribute(p, abi.PoolUsedMemCurrent, 0), abi.InvalidValue)
	r.ok(r.MemFreeAsync(r.ctx, a, s))
	r.want(r.MemFreeAsync(r.ctx, a, s), abi.InvalidValue)
}

func TestPoolThresholdAndTrim(t *testing.T) {
	r := newRig(t, Config{})
	p, s := r.pool(abi.PoolProps{}), r.stream()
	r.ok(r.MemPoolSetAttribute(p, abi.PoolReleaseThreshold, 2*grain))
	for range 3 {
		r.from(p, grain, s)
	}
	live := r.from(p, grain, s)
	for i := range abi.Ptr(3) {
		r.ok(r.MemFreeAsync(r.ctx, r.starts(p)[i], s))
	}
	r.RunAll()
	r.ok(r.MemPoolTrimTo(p, 0)) // the host has not seen the frees yet
	r.counters(p, 4*grain, 4*grain, grain, 4*grain)
	r.ok(r.StreamSynchronize(r.ctx, s))
	r.counters(p, 2*grain, 4*grain, grain, 4*grain)
	r.ok(r.MemPoolTrimTo(p, grain+1))
	r.counters(p, 2*grain, 4*grain, grain, 4*grain)
	r.ok(r.MemPoolTrimTo(p, 0))
	r.counters(p, grain, 4*grain, grain, 4*grain)
	r.ok(r.MemFreeAsync(r.ctx, live, s))
	r.ok(r.CtxSynchronize(r.ctx))
	r.ok(r.MemPoolTrimTo(p, 0))
	if free, total, _ := r.MemGetInfo(r.ctx); free != total {
		t.Errorf("%d of %d free", free, total)
	}
}

// starts returns the addresses of the slabs of a pool.
func (r *rig) starts(p abi.Pool) []abi.Ptr {
	r.mu.Lock()
	defer r.mu.Unlock()
	var at []abi.Ptr
	for _, s := range r.pools[p].slabs {
		at = append(at, s.base)
	}
	return at
}

func TestPoolLimits(t *testing.T) {
	r := newRig(t, Config{Capacity: 8 * mib})
	p, s := r.pool(abi.PoolProps{MaxSize: 4 * mib}), r.stream()
	at := r.from(p, 4*mib, s)
	_, result := r.MemAllocFromPoolAsync(r.ctx, 1, p, s)
	r.want(result, abi.OutOfMemory)
	r.ok(r.MemFreeAsync(r.ctx, at, s))
	r.ok(r.MemPoolSetAttribute(p, abi.PoolReleaseThreshold, 1<<40))
	r.ok(r.StreamSynchronize(r.ctx, s))
	r.from(p, 2*mib, s) // a part of what is reserved
	other := r.pool(abi.PoolProps{})
	_, result = r.MemAllocFromPoolAsync(r.ctx, 5*mib, other, s)
	r.want(result, abi.OutOfMemory)
	r.from(other, 4*mib, s)
	for _, bytes := range []uint64{1 << 50, ^uint64(0)} {
		_, result = r.MemAllocFromPoolAsync(r.ctx, bytes, other, s)
		r.want(result, abi.OutOfMemory)
	}
	_, result = r.MemAllocFromPoolAsync(r.ctx, 0, other, s)
	r.want(result, abi.InvalidValue)
}

func TestNeighboursOfAPoolJoin(t *testing.T) {
	r := newRig(t, Config{})
	p, s := r.pool(abi.PoolProps{}), r.stream()
	var parts []abi.Ptr
	for range 4 {
		parts = append(parts, r.from(p, mib/2, s))
	}
	for _, at := range parts {
		r.ok(r.MemFreeAsync(r.ctx, at, s))
	}
	if at := r.from(p, grain, s); at != parts[0] {
		t.Errorf("%#x, want %#x", at, parts[0])
	}
	r.counters(p, grain, grain, grain, grain)
}

func TestDestroyedPoolKeepsLiveMemory(t *testing.T) {
	r := newRig(t, Config{})
	p, s := r.pool(abi.PoolProps{}), r.stream()
	at := r.from(p, 8, s)
	r.ok(r.DeviceSetMemPool(0, p))
	r.ok(r.MemPoolDestroy(p))
	r.want(r.MemPoolDestroy(p), abi.InvalidValue)
	r.set(at, 1, 8, s)
	r.ok(r.MemFreeAsync(r.ctx, at, s))
	r.ok(r.StreamSynchronize(r.ctx, s))
	if free, total, _ := r.MemGetInfo(r.ctx); free != total {
		t.Error("memory is not back")
	}
	current, result := r.DeviceGetMemPool(0)
	r.ok(result)
	home, result := r.DeviceGetDefaultMemPool(0)
	r.ok(result)
	if current != home {
		t.Error("the default pool is not current again")
	}
	r.want(r.MemPoolDestroy(home), abi.InvalidValue)
}

func TestPoolAccess(t *testing.T) {
	r := newRig(t, Config{})
	p, s := r.pool(abi.PoolProps{}), r.stream()
	at := r.from(p, 8, s)
	r.ok(r.StreamSynchronize(r.ctx, s))
	other := r.retain(1)
	r.want(r.MemsetD8(other, at, 1, 8), abi.InvalidValue)
	r.ok(r.MemPoolSetAccess(p, 1, abi.AccessRead))
	r.want(r.MemsetD8(other, at, 1, 8), abi.InvalidValue)
	var b [8]byte
	r.ok(r.MemcpyDtoH(other, hostOf(b[:]), at, 8))
	r.ok(r.MemPoolSetAccess(p, 1, abi.AccessReadWrite))
	r.ok(r.MemsetD8(other, at, 1, 8))
	access, result := r.MemPoolGetAccess(p, 1)
	r.ok(result)
	if access != abi.AccessReadWrite {
		t.Error(access)
	}
	r.want(r.MemPoolSetAccess(p, 0, abi.AccessNone), abi.InvalidDevice)
}

func TestPoolsOfTheHost(t *testing.T) {
	r := newRig(t, Config{})
	s := r.stream()
	p, result := r.MemPoolCreate(abi.PoolProps{Type: abi.AllocationPinned, Location: abi.LocationHost})
	r.ok(result)
	at := r.from(p, 100, s)
	r.set(at, 7, 100, s)
	r.ok(r.StreamSynchronize(r.ctx, s))
	host, result := r.MemHostGetDevicePointer(r.ctx, hostAt(r, at))
	r.ok(result)
	if host != at || *(*byte)(hostAt(r, at)) != 7 {
		t.Error("memory of the host is not the host's")
	}
	r.SetAttribute(0, abi.AttributeHostMemoryPools, 0)
	_, result = r.MemPoolCreate(abi.PoolProps{Type: abi.AllocationPinned, Location: abi.LocationHost})
	r.want(result, abi.NotSupported)
}

func TestPoolsSwitchedOff(t *testing.T) {
	r := newRig(t, Config{Attributes: map[int32]int32{abi.AttributeMemoryPools: 0}})
	_, result := r.MemAllocAsync(r.ctx, 8, 0)
	r.want(result, abi.NotSupported)
	_, result = r.DeviceGetDefaultMemPool(0)
	r.want(result, abi.NotSupported)
	_, result = r.MemPoolCreate(abi.PoolProps{Type: abi.AllocationPinned, Location: abi.LocationDevice})
	r.want(result, abi.NotSupported)
}

// A free on a stream takes effect when the stream reaches it: until then the memory of a destroyed pool exists, for work that was queued before.
func TestDestroyedPoolWaitsForQueuedFrees(t *testing.T) {
	r := newRig(t, Config{})
	for name, props := range map[string]abi.PoolProps{
		"device": {Type: abi.AllocationPinned, Location: abi.LocationDevice},
		"host":   {Type: abi.AllocationPinned, Location: abi.LocationHost},
		"shared": {Type: abi.AllocationPinned, Location: abi.LocationDevice, Handles: abi.HandleFD},
	} {
		if props.Handles != 0 && shareable == 0 {
			continue
		}
		p, result := r.MemPoolCreate(props)
		r.ok(result)
		s, before := r.stream(), r.devices[0].used
		at := r.from(p, 8, s)
		during := r.devices[0].used
		r.ok(r.MemPoolDestroy(p))
		r.set(at, 1, 8, s)
		r.ok(r.MemFreeAsync(r.ctx, at, s))
		if now := r.devices[0].used; now != during {
			t.Errorf("%s: %d bytes are reserved while the stream is at work, %d before", name, now, during)
		}
		r.ok(r.StreamSynchronize(r.ctx, s))
		if now := r.devices[0].used; now != before {
			t.Errorf("%s: %d bytes are reserved in the end, %d before", name, now, before)
		}
	}
}
