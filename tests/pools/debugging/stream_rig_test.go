//go:build pooldebug && cudasim

package debugging

import (
	"testing"
	"unsafe"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/debugging/pools"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// streamed is a pool whose blocks are freed on streams.
type streamed struct {
	name    string
	pool    whole
	alloc   func() (piece, error)
	allocOn func(cuda.Stream) (piece, error)
	free    func(piece) error
	freeOn  func(piece, cuda.Stream) error
	late    bool // allocOn is alloc
}

type whole interface {
	poolrt.Watched
	Poll() int
	Close() error
	CloseForce() error
}

// piece is a block of such a pool.
type piece struct {
	at  cuda.DevicePtr
	own any
}

// streamedOf makes one of a pool, whose blocks lie where the function says.
func streamedOf[B any](name string, p interface {
	whole
	Free(B) error
	FreeAsync(B, cuda.Stream) error
}, at func(B) cuda.DevicePtr, alloc func() (B, error), allocOn func(cuda.Stream) (B, error)) streamed {
	wrap := func(b B, err error) (piece, error) {
		if err != nil {
			return piece{}, err
		}
		return piece{at(b), b}, nil
	}
	s := streamed{
		name: name, pool: p, late: allocOn == nil,
		alloc:  func() (piece, error) { return wrap(alloc()) },
		free:   func(b piece) error { return p.Free(b.own.(B)) },
		freeOn: func(b piece, on cuda.Stream) error { return p.FreeAsync(b.own.(B), on) },
	}
	s.allocOn = func(on cuda.Stream) (piece, error) {
		if s.late {
			return wrap(alloc())
		}
		return wrap(allocOn(on))
	}
	return s
}

// streams are new pools of each kind of memory.
func streams() []streamed {
	plain, device, deferred := new(pools.PlainPool), new(pools.DevicePool), new(pools.DeferredPool)
	pinned, managed, late := new(pools.PinnedPool), new(pools.ManagedPool), new(pools.LatePool)
	slice := func(b []byte) cuda.DevicePtr { return cuda.AddressOf(b) }
	return []streamed{
		streamedOf("device", plain, pools.PlainSpan.Addr, func() (pools.PlainSpan, error) { return plain.Alloc(size) },
			func(s cuda.Stream) (pools.PlainSpan, error) { return plain.AllocOn(size, s) }),
		streamedOf("device items", device, pools.DevicePtr.Addr, device.Alloc, device.AllocOn),
		streamedOf("device deferred", deferred, pools.DeferredSpan.Addr, func() (pools.DeferredSpan, error) { return deferred.Alloc(size) }, nil),
		streamedOf("pinned", pinned, slice, func() ([]byte, error) { return pinned.Alloc(size) },
			func(s cuda.Stream) ([]byte, error) { return pinned.AllocOn(size, s) }),
		streamedOf("managed items", managed, func(b *[size]byte) cuda.DevicePtr { return cuda.DevicePtr(uintptr(unsafe.Pointer(b))) }, managed.Alloc, managed.AllocOn),
		streamedOf("pinned deferred", late, slice, func() ([]byte, error) { return late.Alloc(size) }, nil),
	}
}

// eachStreamed runs a test with each of them, on a machine whose streams proceed as the schedule says, and looks for hazards and what is left over.
func eachStreamed(t *testing.T, schedule uint64, f func(t *testing.T, p streamed)) {
	for i, p := range streams() {
		t.Run(p.name, func(t *testing.T) {
			rig.Machine(t, sim.Config{Devices: 1, Schedule: schedule})
			f(t, streams()[i])
		})
	}
}

// corruptions counts the events of damage from now on.
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
