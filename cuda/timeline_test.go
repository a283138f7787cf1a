//go:build cudasim

package cuda_test

import (
	"errors"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// bound returns a pool that is bound to a device, with blocks in the order of streams.
func bound(t *testing.T, a cuda.Allocator) poolimpl.Bound {
	t.Helper()
	return must(a.Bind(poolimpl.Binding{Device: poolimpl.NoDevice, Limit: poolrt.NoLimit, Chunk: 64 << 10}))(t)
}

// An error of a stream of another device names that device.
func TestWaitNamesTheStreamsDevice(t *testing.T) {
	sim.Reset(sim.Config{Devices: 2})
	b := bound(t, cuda.Allocator{Name: "device", Kinds: []cuda.Kind{cuda.DeviceMemory{}}})
	here, there := must(cuda.Device(0).NewStream(cuda.NonBlocking))(t), must(cuda.Device(1).NewStream(cuda.NonBlocking))(t)
	p := must(cuda.Device(0).Alloc(8))(t)
	ok(t, cuda.MemsetAsync(p, 1, 8, here))
	fence := must(b.Timeline.Record(here.Key()))(t)
	sim.Fail("cuStreamWaitEvent", 1, 1)
	if e := new(cuda.Error); !errors.As(b.Timeline.Wait(there.Key(), fence), &e) || e.Device != 1 {
		t.Errorf("the error is %v", e)
	}
	ok(t, b.Timeline.Wait(there.Key(), fence))
	sim.RunAll()
	b.Timeline.Release(fence)
	ok(t, errors.Join(b.Close(), here.Close(), there.Close(), cuda.Device(0).Free(p)))
	for _, f := range sim.Findings() {
		t.Error(f)
	}
}

// The objects that the pools of a device share are made again on another machine, also for pools that outlive the earlier machine. Nothing of the
// earlier machine is used or destroyed.
func TestPoolsOutliveReset(t *testing.T) {
	sim.Reset(sim.Config{Devices: 2})
	old := bound(t, cuda.Allocator{Name: "device", Kinds: []cuda.Kind{cuda.DeviceMemory{}}})
	use := func(b poolimpl.Bound) {
		t.Helper()
		c := must(b.Source.Alloc(1024, 256))(t)
		ok(t, errors.Join(b.Zero(c), b.Zeroed())) // on the stream that pools share
		for _, d := range []cuda.Device{0, 1} {
			s := must(d.NewStream(cuda.NonBlocking))(t)
			p := must(d.Alloc(8))(t)
			ok(t, cuda.MemsetAsync(p, 1, 8, s))
			fence := must(b.Timeline.Record(s.Key()))(t) // by an event that pools share, or that is of the other device
			ok(t, b.Timeline.Sync(fence))
			b.Timeline.Release(fence)
			ok(t, errors.Join(s.Close(), d.Free(p)))
		}
		ok(t, b.Source.Free(c))
	}
	use(old)
	sim.Reset(sim.Config{Devices: 2, Recycle: true})
	use(old)
	fresh := bound(t, cuda.Allocator{Name: "device", Kinds: []cuda.Kind{cuda.DeviceMemory{}}})
	use(fresh)
	ok(t, errors.Join(old.Close(), fresh.Close()))
	for _, f := range sim.Findings() {
		t.Error(f)
	}
	use(bound(t, cuda.Allocator{Name: "device", Kinds: []cuda.Kind{cuda.DeviceMemory{}}}))
	sim.Reset(sim.Config{}) // with a pool open
	last := bound(t, cuda.Allocator{Name: "device", Kinds: []cuda.Kind{cuda.DeviceMemory{}}})
	use(last)
	ok(t, last.Close())
	for _, f := range sim.Findings() {
		t.Error(f)
	}
}

// Trim returns the stream and the events that pools keep for later work, also while the pool stays open. The pool makes them again.
func TestTrimReturnsWhatIsKept(t *testing.T) {
	sim.Reset(sim.Config{Devices: 1})
	b := bound(t, cuda.Allocator{Name: "device", Kinds: []cuda.Kind{cuda.DeviceMemory{}}})
	s := must(cuda.Device(0).NewStream(cuda.NonBlocking))(t)
	p := must(cuda.Device(0).Alloc(8))(t)
	before := len(sim.Leaks())
	for range 2 {
		c := must(b.Source.Alloc(1024, 256))(t)
		ok(t, errors.Join(b.Zero(c), b.Zeroed())) // on the stream that pools share
		ok(t, cuda.MemsetAsync(p, 1, 8, s))
		fence := must(b.Timeline.Record(s.Key()))(t)
		ok(t, b.Timeline.Sync(fence))
		b.Timeline.Release(fence)
		ok(t, b.Source.Free(c))
		if len(sim.Leaks()) != before+2 {
			t.Errorf("without a stream and an event that are kept, the test tests nothing: %q", sim.Leaks())
		}
		ok(t, s.BeginCapture())
		ok(t, b.Trim()) // does not wait during a capture
		graph := must(s.EndCapture())(t)
		ok(t, graph.Close())
		ok(t, b.Trim())
		if len(sim.Leaks()) != before {
			t.Errorf("after Trim: %q", sim.Leaks())
		}
	}
	ok(t, errors.Join(b.Close(), s.Close(), cuda.Device(0).Free(p)))
	for _, f := range sim.Findings() {
		t.Error(f)
	}
}

// driver_pool: {source: custom} gives device_async a pool of its own, unless it is what device_pool has, which the pool file names as well.
func TestAsyncPoolOfItsOwn(t *testing.T) {
	custom := &cuda.PoolSettings{Custom: true, Location: "device", MaxSize: 1 << 20}
	for _, test := range []struct {
		pool *cuda.PoolSettings
		ask  []string
		made int
	}{
		{custom, []string{"device_async"}, 1},
		{custom, []string{"device", "device_async"}, 1},
		{custom, []string{"device_async", "device_pool"}, 0},
		{&cuda.PoolSettings{}, []string{"device_async"}, 0},
		{nil, []string{"device_async"}, 0},
	} {
		sim.Reset(sim.Config{})
		b := must(cuda.Allocator{Name: test.ask[0], Kinds: kinds, Pool: test.pool}.Bind(poolimpl.Binding{
			Device: poolimpl.NoDevice, Limit: poolrt.NoLimit, Chunk: 64 << 10, Allocator: "device_async", Allocators: test.ask,
		}))(t)
		if made := sim.Calls("cuMemPoolCreate"); made != test.made || b.Allocator != "device_async" {
			t.Errorf("%v with %+v: %s has made %d pools, not %d", test.ask, test.pool, b.Allocator, made, test.made)
		}
		ok(t, b.Close())
	}
}
