package simulator

import (
	"runtime"
	"testing"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

func TestStreamsRunOnlyWhenTold(t *testing.T) {
	r := newRig(t, Config{})
	p, s := r.alloc(8), r.stream()
	r.set(p, 1, 8, s)
	r.set(p, 2, 8, s)
	r.want(r.StreamQuery(r.ctx, s), abi.NotReady)
	r.holds(p, 0xCD, 8)
	r.Step()
	r.holds(p, 1, 8)
	r.RunAll()
	r.holds(p, 2, 8)
	r.ok(r.StreamQuery(r.ctx, s))
	if r.Step() {
		t.Error("a step without work")
	}
}

func TestRunRunsWhatTheStreamNeeds(t *testing.T) {
	r := newRig(t, Config{})
	p, q := r.alloc(8), r.alloc(8)
	a, b, c, e := r.stream(), r.stream(), r.stream(), r.event()
	r.set(p, 1, 8, a)
	r.ok(r.EventRecord(r.ctx, e, a))
	r.set(p, 3, 8, a)
	r.ok(r.StreamWaitEvent(r.ctx, b, e))
	r.set(p, 2, 8, b)
	r.set(q, 9, 8, c)
	r.ok(r.Run(r.ctx, b))
	r.holds(p, 2, 8)
	r.holds(q, 0xCD, 8)
	r.want(r.StreamQuery(r.ctx, a), abi.NotReady)
}

func TestScheduleAdvancesAndRepeats(t *testing.T) {
	run := func(seed uint64) (polls int) {
		r := newRig(t, Config{Schedule: seed})
		p, s := r.alloc(8), r.stream()
		for i := range 20 {
			r.set(p, byte(i), 8, s)
		}
		for r.StreamQuery(r.ctx, s) != abi.Success {
			polls++
		}
		r.holds(p, 19, 8)
		return polls
	}
	seen := map[int]bool{}
	for seed := range uint64(10) {
		first := run(seed + 1)
		if again := run(seed + 1); again != first {
			t.Errorf("seed %d: %d polls, then %d", seed+1, first, again)
		}
		seen[first] = true
	}
	if len(seen) < 2 {
		t.Error("all seeds are alike")
	}
}

func TestLegacyDefaultStream(t *testing.T) {
	r := newRig(t, Config{})
	p := r.alloc(8)
	blocking, result := r.StreamCreate(r.ctx, abi.StreamDefault, 0)
	r.ok(result)
	free := r.stream()
	r.set(p, 1, 1, blocking)
	r.set(p+1, 1, 1, free)
	r.set(p+2, 1, 1, 0)
	r.set(p+3, 1, 1, blocking)
	r.ok(r.Run(r.ctx, blocking))
	for i, want := range []byte{1, 0xCD, 1, 1} {
		r.holds(p+abi.Ptr(i), want, 1)
	}
	r.set(p+4, 1, 1, blocking)
	r.want(r.StreamQuery(r.ctx, abi.LegacyStream), abi.NotReady)
	r.ok(r.StreamSynchronize(r.ctx, 0))
	r.holds(p+4, 1, 1)
	r.holds(p+1, 0xCD, 1)
	r.ok(r.CtxSynchronize(r.ctx))
	r.holds(p+1, 1, 1)
}

func TestSynchronousCopyWaitsForBlockingStreamsOnly(t *testing.T) {
	r := newRig(t, Config{})
	p, free := r.alloc(8), r.stream()
	r.set(p, 1, 1, abi.PerThreadStream)
	r.set(p+1, 1, 1, free)
	var got [2]byte
	r.ok(r.MemcpyDtoH(r.ctx, hostOf(got[:]), p, 2))
	if got != [2]byte{1, 0xCD} {
		t.Errorf("% x", got)
	}
	r.set(p, 2, 1, 0)
	r.holds(p, 1, 1)
	r.ok(r.MemcpyDtoH(r.ctx, hostOf(got[:]), p, 2))
	r.holds(p, 2, 1)
}

func TestDestroyedStreamFinishes(t *testing.T) {
	r := newRig(t, Config{})
	p, s := r.alloc(8), r.stream()
	r.set(p, 1, 8, s)
	r.ok(r.StreamDestroy(r.ctx, s))
	r.want(r.StreamQuery(r.ctx, s), abi.InvalidHandle)
	r.want(r.StreamDestroy(r.ctx, s), abi.InvalidHandle)
	r.ok(r.CtxSynchronize(r.ctx))
	r.holds(p, 1, 8)
}

func TestEvents(t *testing.T) {
	r := newRig(t, Config{})
	p, s := r.alloc(8), r.stream()
	from, _ := r.EventCreate(r.ctx, 0)
	to, _ := r.EventCreate(r.ctx, 0)
	quiet := r.event()
	r.ok(r.EventQuery(r.ctx, from))
	r.ok(r.StreamWaitEvent(r.ctx, s, from))
	r.ok(r.StreamQuery(r.ctx, s))
	r.ok(r.EventRecord(r.ctx, from, s))
	r.set(p, 1, 8, s)
	r.ok(r.EventRecord(r.ctx, to, s))
	r.ok(r.EventRecord(r.ctx, quiet, s))
	r.want(r.EventQuery(r.ctx, from), abi.NotReady)
	_, result := r.EventElapsedTime(from, to)
	r.want(result, abi.NotReady)
	r.ok(r.EventSynchronize(r.ctx, from))
	r.holds(p, 0xCD, 8)
	r.ok(r.EventSynchronize(r.ctx, to))
	r.holds(p, 1, 8)
	ms, result := r.EventElapsedTime(from, to)
	r.ok(result)
	if ms != 0.002 {
		t.Errorf("%v ms", ms)
	}
	_, result = r.EventElapsedTime(from, quiet)
	r.want(result, abi.InvalidHandle)
	r.ok(r.EventDestroy(r.ctx, to))
	r.want(r.EventDestroy(r.ctx, to), abi.InvalidHandle)
}

func TestContexts(t *testing.T) {
	r := newRig(t, Config{})
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	_, result := r.MemAlloc(0, 8)
	r.want(result, abi.InvalidContext)
	_, result = r.CtxGetDevice()
	r.want(result, abi.InvalidContext)
	other := r.retain(1)
	s := r.stream()
	r.want(r.StreamQuery(other, s), abi.InvalidHandle)
	r.want(r.EventRecord(other, r.event(), 0), abi.InvalidHandle)
	r.ok(r.CtxSetCurrent(other))
	dev, result := r.CtxGetDevice()
	r.ok(result)
	r.alloc(8) // in another context
	ctx, result := r.CtxGetCurrent()
	r.ok(result)
	legacy, result := r.StreamGetCtx(0)
	r.ok(result)
	if dev != 1 || ctx != other || legacy != other {
		t.Errorf("device %d, context %#x, %#x", dev, ctx, legacy)
	}
	elsewhere := make(chan abi.Context)
	go func() {
		runtime.LockOSThread()
		c, _ := r.CtxGetCurrent()
		elsewhere <- c
	}()
	if c := <-elsewhere; c != 0 && thread() != 0 {
		t.Errorf("another thread has the context %#x", c)
	}
	r.ok(r.DevicePrimaryCtxRelease(1))
	r.want(r.CtxSynchronize(other), abi.InvalidContext)
	r.want(r.DevicePrimaryCtxRelease(1), abi.InvalidContext)
	_, result = r.DevicePrimaryCtxRetain(2)
	r.want(result, abi.InvalidDevice)
}

func TestLateFaultSpoilsTheContext(t *testing.T) {
	r := newRig(t, Config{})
	s := r.stream()
	p, result := r.MemAllocAsync(r.ctx, 8, s)
	r.ok(result)
	r.set(p, 1, 8, s)
	r.ok(r.MemFree(r.ctx, p)) // at once, with work queued
	r.want(r.StreamSynchronize(r.ctx, s), abi.IllegalAddress)
	_, result = r.MemAlloc(r.ctx, 8)
	r.want(result, abi.IllegalAddress)
}

// Objects of a context end with it.
func TestContextTakesAllAlong(t *testing.T) {
	r := newRig(t, Config{})
	r.function("fill", fillKernel)
	r.stream()
	r.event()
	r.alloc(8)
	a, result := r.ArrayCreateSparse(r.ctx, abi.ArrayDesc{Width: 256, Height: 256, Format: abi.FormatUint8, Channels: 1})
	r.ok(result)
	_, result = r.MipmappedArrayCreateSparse(r.ctx, abi.ArrayDesc{Width: 256, Height: 256, Format: abi.FormatUint8, Channels: 1}, 2)
	r.ok(result)
	m := r.tiles(2 << 20)
	r.ok(r.MemMapArrayAsync(r.ctx, []abi.ArrayMap{{Array: a, Width: 256, Height: 256, Memory: m, DeviceMask: 1}}, 0))
	r.ok(r.MemRelease(m))
	r.ok(r.DevicePrimaryCtxRelease(0))
	for _, l := range r.Leaks() {
		t.Error(l)
	}
	r.retain(0)
	if free, total, _ := r.MemGetInfo(r.ctx); free != total {
		t.Errorf("%d bytes are not back", total-free)
	}
}

// A context that is retained exists again when its device does, whatever machines there were meanwhile.
func TestContextsComeBackWithTheirDevices(t *testing.T) {
	r := newRig(t, Config{Devices: 2})
	other := r.retain(1)
	for _, devices := range []int{1, -1, 2} {
		r.Reset(Config{Devices: devices})
		want := abi.Success
		if devices != 2 {
			want = abi.InvalidContext
		}
		r.want(r.CtxSynchronize(other), want)
	}
	r.ok(r.DevicePrimaryCtxRelease(1))
	r.want(r.DevicePrimaryCtxRelease(1), abi.InvalidContext)
}

func TestPeerCopyOfNoContext(t *testing.T) {
	r := newRig(t, Config{})
	p := r.alloc(8)
	r.want(r.MemcpyPeerAsync(r.ctx, p, r.ctx, p, 0x1234, 8, 0), abi.InvalidContext)
	r.Fail("cuMemcpyPeerAsync", 1, abi.Unknown)
	r.want(r.MemcpyPeerAsync(r.ctx, p, r.ctx, p, 0x1234, 8, 0), abi.Unknown)
	if n := r.Calls("cuMemcpyPeerAsync"); n != 2 {
		t.Errorf("%d calls", n)
	}
}
