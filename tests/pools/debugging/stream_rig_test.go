//go:build pooldebug && cudasim

package debugging

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/debugging/pools"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// streamed is a pool whose blocks are freed on streams.
type streamed struct {
	name string
	pool whole
	rig.Streamed
}

type whole interface {
	poolrt.Watched
	Poll() int
	Close() error
	CloseForce() error
}

func (p streamed) alloc() (rig.Block, error) { return p.Alloc(size) }

func (p streamed) allocOn(on cuda.Stream) (rig.Block, error) {
	if p.late() {
		return p.Alloc(size)
	}
	return p.AllocOn(size, on)
}

// late reports whether blocks are not allocated on streams.
func (p streamed) late() bool { return p.AllocOn == nil }

// streams are new pools of each kind of memory.
func streams() []streamed {
	plain, device, deferred := new(pools.PlainPool), new(pools.DevicePool), new(pools.DeferredPool)
	pinned, managed, late := new(pools.PinnedPool), new(pools.ManagedPool), new(pools.LatePool)
	item := func(b pools.DevicePtr) (cuda.DevicePtr, int64) { return b.Addr(), size }
	shared := func(b *[size]byte) (cuda.DevicePtr, int64) { return rig.BytesAt(b[:]) }
	return []streamed{
		{"device", plain, rig.StreamedOf(rig.SpanAt[pools.PlainSpan], plain.Alloc, plain.AllocOn, plain.Free, plain.FreeAsync)},
		{"device items", device, rig.StreamedOf(item, rig.Single(device.Alloc), rig.SingleOn(device.AllocOn), device.Free, device.FreeAsync)},
		{"device deferred", deferred, rig.StreamedOf(rig.SpanAt[pools.DeferredSpan], deferred.Alloc, nil, deferred.Free, deferred.FreeAsync)},
		{"pinned", pinned, rig.StreamedOf(rig.BytesAt, pinned.Alloc, pinned.AllocOn, pinned.Free, pinned.FreeAsync)},
		{"managed items", managed, rig.StreamedOf(shared, rig.Single(managed.Alloc), rig.SingleOn(managed.AllocOn), managed.Free, managed.FreeAsync)},
		{"pinned deferred", late, rig.StreamedOf(rig.BytesAt, late.Alloc, nil, late.Free, late.FreeAsync)},
	}
}

// eachStreamed runs a test with each of them, on a machine whose streams run by the schedule, and checks for hazards and leaks.
func eachStreamed(t *testing.T, schedule uint64, f func(t *testing.T, p streamed)) {
	for i, p := range streams() {
		t.Run(p.name, func(t *testing.T) {
			rig.Machine(t, sim.Config{Devices: 1, Schedule: schedule})
			f(t, streams()[i])
		})
	}
}

// corruptions counts the events of corruption from now on.
func corruptions(t *testing.T) *int {
	n := new(int)
	t.Cleanup(poolrt.OnEvent(func(e poolrt.Event) {
		if e.Kind == poolrt.EventCorrupt {
			*n++
		}
	}))
	return n
}

// waits counts the calls that wait for streams.
func waits() int {
	return sim.Calls("cuStreamSynchronize") + sim.Calls("cuEventSynchronize") + sim.Calls("cuCtxSynchronize")
}
